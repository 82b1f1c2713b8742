import { Upload } from "./types.mjs";

export function sizeOf(upload: Upload): number {
  return upload.size ?? 0;
}
