import type { Ability } from "./contract.ts";
import type { Trial } from "./judge/trial.ts";

/** A promise that a host of tools keeps or breaks. */
export interface Row {
  /** A short name by which people refer to the row. */
  readonly name: string;
  /** The sentence that must be true. */
  readonly holds: string;
  /** How the row is tried, in a sentence. */
  readonly tried: string;
  /** A public thread about a host that broke the promise, as owner/repository#number, if one is known. */
  readonly thread?: string;
  /** The abilities that a host needs so that the row is tried. */
  readonly needs?: readonly Ability[];
  /** Tries the row. Throws `Broken` if the promise is broken. */
  run(trial: Trial): Promise<void>;
}
