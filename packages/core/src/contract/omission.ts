/**
 * Something that a result leaves out. A tool that leaves something out lists it as `omitted` in its data; without
 * `omitted` the data is whole.
 */
export interface Omission {
  /** What is left out: `navigation`, `binary files`. */
  readonly what: string;
  /** How much, with its unit: `1203 characters`. */
  readonly amount: string;
  readonly why: string;
  /** How to get it: arguments of the next call, or another tool. */
  readonly how: string;
}
