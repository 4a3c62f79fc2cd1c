import type { Ability } from "./contract.ts";
import type { Trial } from "./judge/trial.ts";

/** One promise that a host of tools keeps, or breaks. */
export interface Row {
  /** A short name, for people who talk about it. */
  readonly name: string;
  /** The sentence that has to hold. */
  readonly holds: string;
  /** How it is tried. */
  readonly tried: string;
  /** A public thread in which it did not hold, owner/repository#number, where one is known. */
  readonly thread?: string;
  /** What the host must be able to do for the row to be tried. */
  readonly needs?: readonly Ability[];
  /** Tries it. Throws `Broken` where the promise is broken. */
  run(trial: Trial): Promise<void>;
}
