/** Maximum number of characters that are searched for one call, which takes some tenths of a second. */
const maxSearched = 536_870_912;

/** Characters that are searched without a pause for the host's other work, which takes some milliseconds. */
const searchedAtOnce = 33_554_432;

/** Thrown when a call has too many values, and the session too long results, to compare them all. */
export class TooMuchToCompare extends Error {}

/** Work that may pause after each of its steps. */
export type Steps<Result> = Generator<void, Result, void>;

/** Counts what is searched for one call, so that the author of arguments or results cannot keep a host busy. */
export class Meter {
  #left: number;
  #untilPause = searchedAtOnce;

  constructor(characters: number = maxSearched) {
    this.#left = characters;
  }

  /** Counts a search of this many characters. Throws TooMuchToCompare if the limit is exceeded. */
  spend(characters: number): void {
    this.work(characters);
    this.#left -= characters;
    if (this.#left < 0) throw new TooMuchToCompare();
  }

  /** Counts work that takes as long as searching this many characters. It leads to pauses, but not to the limit. */
  work(characters: number): void {
    this.#untilPause -= characters;
  }

  /** Runs the steps, with pauses in which the host does other work. Returns the result directly if no pause was needed. */
  run<Result>(steps: Steps<Result>): Result | Promise<Result> {
    for (let step = steps.next(); ; step = steps.next()) {
      if (step.done === true) return step.value;
      if (this.#untilPause >= 0) continue;
      this.#untilPause = searchedAtOnce;
      return pause().then(() => this.run(steps));
    }
  }
}

function pause(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
