import { Clock, systemClock } from "./clock";
import type { Upload } from "./types";
import * as http from "./http.mjs";

/** How long to wait; ADR-4 and ADR-5. */
export interface RetryPolicy {
  pause(attempt: number): number;
}

export class Doubling implements RetryPolicy {
  constructor(private readonly clock: Clock = systemClock) {}

  pause(attempt: number): number {
    return Math.min(60 * 2 ** (attempt - 1), this.clock.hour());
  }
}

export enum Outcome {
  Sent,
  Failed,
}

export async function retryUpload(upload: Upload, policy: RetryPolicy): Promise<Outcome> {
  const sent = await http.send(upload.name);
  return sent ? Outcome.Sent : Outcome.Failed;
}
