/** Cells of the memory that both threads share. */
export const cells = {
  /** A counter that the main thread increases with each beat. */
  beats: 0,
  /** When the first of the running calls must end, in milliseconds since the epoch; 0 without a call. */
  deadline: 1,
  /** The number of running calls. */
  calls: 2,
  /** 1 while the main thread waits for the disk of a store. */
  disk: 3,
} as const;

export interface WatchdogStart {
  readonly memory: BigInt64Array;
  readonly beatMs: number;
  /** Passed to the thread, because importing it there would load the whole start file of the command. */
  readonly cells: typeof cells;
}
