/**
 * A statement that a result leaves out, cuts, replaces or ends something. A result lists it in `omitted`; a result without
 * `omitted` is complete.
 */
export interface Omission {
  /** What is left out, for example `navigation` or `binary files`. */
  readonly what: string;
  /** How much is left out, with the unit, for example `1203 characters`. */
  readonly amount: string;
  readonly why: string;
  /** How to get what is left out: with which arguments of the next call, or with which other tool. */
  readonly how: string;
}

/** Returns an omission as a line for a model and a person. */
export function omissionLine({ what, amount, why, how }: Omission): string {
  return `Omitted: ${what} (${amount}): ${why}. To get it: ${how}`;
}
