/** Decides who may write to the terminal: every writer, or one question alone. */
export interface TerminalLock {
  /** Writes now, or when the question on the screen has its answer. */
  write(write: () => void): void;
  /** Runs work that has the terminal for itself, one after the other. Other output waits for it. */
  alone<Value>(work: () => Promise<Value>): Promise<Value>;
}

/** Keeps the output of a turn from being written into a question that is on the screen. */
export function createTerminalLock(): TerminalLock {
  const held: (() => void)[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let holders = 0;
  const release = () => {
    holders--;
    if (holders === 0) for (const write of held.splice(0)) write();
  };
  return {
    write(write) {
      if (holders > 0) held.push(write);
      else write();
    },
    alone(work) {
      holders++;
      const done = last.then(work).finally(release);
      last = done.catch(() => {});
      return done;
    },
  };
}
