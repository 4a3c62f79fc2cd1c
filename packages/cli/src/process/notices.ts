/** Writes lines while a person may be typing at a prompt. */
export interface Notices {
  /** Writes a line now, above the prompt if one is open. */
  say(line: string): void;
  /** Passes all lines to `write` instead, for example while a prompt is open, until the returned function is called. */
  redirect(write: (line: string) => void): () => void;
}

/** Creates notices that go to `write` while no prompt is open. */
export function createNotices(write: (line: string) => void): Notices {
  let current = write;
  return {
    say: (line) => current(line),
    redirect(other) {
      current = other;
      return () => (current = write);
    },
  };
}
