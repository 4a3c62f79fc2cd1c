import { AsyncLocalStorage } from "node:async_hooks";
import { Link, LinkedList } from "./linked-list.ts";
import type { Run } from "../call/call.ts";

interface Waiter {
  readonly run: Run;
  readonly go: () => void;
}

/** Runs that wait for something, first come, first served. One that is stopped leaves at once. */
export class WaitingLine {
  readonly #line = new LinkedList<Waiter>();
  readonly #onLeft: () => void;

  /** `onLeft` is told when one leaves that was stopped. */
  constructor(onLeft: () => void = () => {}) {
    this.#onLeft = onLeft;
  }

  get length(): number {
    return this.#line.size;
  }

  /** `go` is called in the run's own asynchronous context, whoever lets it go. */
  add(run: Run, go: () => void): void {
    const inContext = AsyncLocalStorage.snapshot();
    const link = new Link<Waiter>({ run, go: () => inContext(go) });
    this.#line.add(link);
    run.withdraw = () => {
      link.leave();
      this.#onLeft();
    };
  }

  /** Takes the first out of the line, to let it go. */
  shift(): (() => void) | null {
    const { first } = this.#line;
    if (first === null) return null;
    first.leave();
    first.item.run.withdraw = null;
    return first.item.go;
  }
}
