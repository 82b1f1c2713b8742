export interface Upload {
  name: string;
  size?: number;
}
