/** Decides who may use the terminal: either all output, or one question alone. */
export interface TerminalLock {
  /** Writes now, or after the question on the screen is answered. */
  write(write: () => void): void;
  /** Runs work that needs the terminal alone, such as a question. Other output and other such work wait until it ends. */
  alone<Value>(work: () => Promise<Value>): Promise<Value>;
  /**
   * Calls `begin` now, or as soon as no question has the terminal. When a question takes the terminal, calls the function that
   * `begin` returned, and later `begin` again. The function that `whileFree` returns ends this.
   */
  whileFree(begin: () => () => void): () => void;
}

/** Creates the lock that keeps the output of a turn out of a question on the screen. */
export function createTerminalLock(): TerminalLock {
  const held: (() => void)[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let holders = 0;
  let begin: (() => () => void) | null = null;
  let undo: (() => void) | null = null;
  const stop = () => {
    undo?.();
    undo = null;
  };
  const release = () => {
    holders--;
    if (holders > 0) return;
    for (const write of held.splice(0)) write();
    undo = begin?.() ?? null;
  };
  return {
    write(write) {
      if (holders > 0) held.push(write);
      else write();
    },
    alone(work) {
      holders++;
      stop();
      const done = last.then(work).finally(release);
      last = done.catch(() => {});
      return done;
    },
    whileFree(given) {
      begin = given;
      undo = holders > 0 ? null : given();
      return () => {
        begin = null;
        stop();
      };
    },
  };
}
