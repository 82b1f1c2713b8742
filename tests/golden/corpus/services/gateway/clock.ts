export class Clock {
  now(): number {
    return Date.now();
  }

  hour(): number {
    return 3600;
  }
}

export const systemClock = new Clock();
