/** Cells of the memory that both threads share. */
export const cells = {
  /** The main thread adds one in each beat. */
  beats: 0,
  /** When the first of the running calls has to end, in milliseconds since the epoch; 0 without a call. */
  deadline: 1,
  /** How many calls run. */
  calls: 2,
  /** 1 while the main thread waits for the disk of a store. */
  disk: 3,
} as const;

export interface WatchdogStart {
  readonly memory: BigInt64Array;
  readonly beatMs: number;
  /** Given, because a thread that imports it loads the whole file of the command's start. */
  readonly cells: typeof cells;
}
