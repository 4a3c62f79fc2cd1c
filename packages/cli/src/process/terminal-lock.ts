/** Who may write to the terminal: everybody in turn, or one question that has it for itself. */
export interface Floor {
  /** Writes now, or when nobody has the floor any more. */
  say(write: () => void): void;
  /** Has the floor while it works, one after the other; what others have to say waits. */
  alone<Value>(work: () => Promise<Value>): Promise<Value>;
}

/** Keeps what a turn tells from being written into a question that is on the screen. */
export function createFloor(): Floor {
  const kept: (() => void)[] = [];
  let last: Promise<unknown> = Promise.resolve();
  let holders = 0;
  const leave = () => {
    holders--;
    if (holders === 0) for (const write of kept.splice(0)) write();
  };
  return {
    say(write) {
      if (holders > 0) kept.push(write);
      else write();
    },
    alone(work) {
      holders++;
      const done = last.then(work).finally(leave);
      last = done.catch(() => {});
      return done;
    },
  };
}
