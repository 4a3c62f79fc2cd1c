/** Most characters that are searched for one call: some tenths of a second. */
const maxSearched = 536_870_912;

/** A call has too many values, beside too long results, to compare them all. */
export class TooMuchToCompare extends Error {}

/** Counts what is searched for one call. The author of arguments or results must not decide how long a host is busy. */
export class Meter {
  #left: number;

  constructor(characters: number = maxSearched) {
    this.#left = characters;
  }

  /** Counts a search of so many characters. Throws TooMuchToCompare when it is one too many. */
  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new TooMuchToCompare();
  }
}
