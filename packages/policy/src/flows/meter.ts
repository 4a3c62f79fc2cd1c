/** Most characters that are searched for one call: some tenths of a second. */
const maxSearched = 536_870_912;

/** Characters that are searched while the host does nothing else: some milliseconds. */
const searchedAtOnce = 33_554_432;

/** A call has too many values, beside too long results, to compare them all. */
export class TooMuchToCompare extends Error {}

/** Work that may pause after each of its steps. */
export type Steps<Result> = Generator<void, Result, void>;

/** Counts what is searched for one call. The author of arguments or results must not decide how long a host is busy. */
export class Meter {
  #left: number;
  #untilPause = searchedAtOnce;

  constructor(characters: number = maxSearched) {
    this.#left = characters;
  }

  /** Counts a search of so many characters. Throws TooMuchToCompare when it is one too many. */
  spend(characters: number): void {
    this.work(characters);
    this.#left -= characters;
    if (this.#left < 0) throw new TooMuchToCompare();
  }

  /** Counts work that takes as long as searching so many characters, and that is done in any case. */
  work(characters: number): void {
    this.#untilPause -= characters;
  }

  /** Does the steps, with pauses in which the host does other work. Returns the result at once where none was needed. */
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
