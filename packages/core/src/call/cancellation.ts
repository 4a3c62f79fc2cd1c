import type { CancellationState, CancellationToken } from "../contract/cancellation.ts";
import type { Undo } from "../contract/hooks.ts";
import { LinkedList, type Link } from "../scheduling/linked-list.ts";
import type { Run } from "./call.ts";
import { stop } from "./transitions.ts";

/** Stops the calls that were given a token when its state changes. */
export class CancellationWatch {
  readonly #lists = new WeakMap<CancellationToken, TokenCalls>();

  /** Follows a token until the link leaves; what was requested before counts at once. */
  follow(token: CancellationToken, link: Link<Run>): void {
    let list = this.#lists.get(token);
    if (list === undefined) this.#lists.set(token, (list = new TokenCalls(token)));
    list.add(link);
    heed(link.item, token.state);
  }
}

/** The calls of one token. It listens only while there are any, so that neither keeps the other alive. */
class TokenCalls extends LinkedList<Run> {
  readonly #token: CancellationToken;
  #undo: Undo | null = null;

  constructor(token: CancellationToken) {
    super();
    this.#token = token;
  }

  override add(link: Link<Run>): void {
    super.add(link);
    this.#undo ??= this.#token.onChange((state) => {
      for (const run of this.items()) heed(run, state);
    });
  }

  override remove(link: Link<Run>): void {
    super.remove(link);
    if (this.size > 0) return;
    this.#undo?.();
    this.#undo = null;
  }
}

/** Graceful ends calls whose tool does not run yet, unless a running tool made them; immediate ends all. */
export function heed(run: Run, state: CancellationState): void {
  const begins = run.parent === null && !run.executing;
  if (state === "immediate" || (state === "graceful" && begins)) stop(run, "cancel", "Request was cancelled");
}
