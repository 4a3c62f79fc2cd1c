/** Indexes of the numbers in the memory that the main thread and the watchdog's thread share. */
export const cells = {
  /** A counter that the main thread increases with each beat. */
  beats: 0,
  /** The earliest deadline of a running call, in milliseconds since the epoch; 0 if no call runs. */
  deadline: 1,
  /** The number of running calls. */
  calls: 2,
  /** 1 while the main thread waits for the disk of a store. */
  disk: 3,
} as const;

export interface WatchdogStart {
  readonly memory: BigInt64Array;
  readonly beatMs: number;
  /** The indexes are passed, because importing this module in the thread would load the whole built file of the command. */
  readonly cells: typeof cells;
}
