/**
 * Something that a result leaves out, cuts, replaces or ends. A result lists it as `omitted`; without `omitted` the
 * result is whole.
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

/** An omission as a line that a model and a person read. */
export function omissionLine({ what, amount, why, how }: Omission): string {
  return `Omitted: ${what} (${amount}): ${why}. To get it: ${how}`;
}
