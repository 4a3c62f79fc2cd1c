import type { CancellationState, CancellationToken } from "../contract/cancellation.ts";
import type { Undo } from "../contract/hooks.ts";
import { LinkedList, type Link } from "../scheduling/linked-list.ts";
import type { Call } from "./call.ts";
import { stopCall } from "./transitions.ts";

/** Stops the calls that were given a token when its state changes. */
export class CancellationWatch {
  readonly #lists = new WeakMap<CancellationToken, TokenCalls>();

  /** Follows a token until the link leaves. A cancellation that was requested before applies immediately. */
  follow(token: CancellationToken, link: Link<Call>): void {
    let list = this.#lists.get(token);
    if (list === undefined) this.#lists.set(token, (list = new TokenCalls(token)));
    list.add(link);
    applyCancellation(link.item, token.state);
  }
}

/** The calls of one token. It listens only while it has calls, so that neither keeps the other in memory. */
class TokenCalls extends LinkedList<Call> {
  readonly #token: CancellationToken;
  #undo: Undo | null = null;

  constructor(token: CancellationToken) {
    super();
    this.#token = token;
  }

  override add(link: Link<Call>): void {
    super.add(link);
    this.#undo ??= this.#token.onChange((state) => {
      for (const call of this.items()) applyCancellation(call, state);
    });
  }

  override remove(link: Link<Call>): void {
    super.remove(link);
    if (this.size > 0) return;
    this.#undo?.();
    this.#undo = null;
  }
}

/** `immediate` stops a call; `graceful` only one whose tool has not begun, unless a running tool made it. */
export function applyCancellation(call: Call, state: CancellationState): void {
  const hasBegun = call.parent !== null || call.executing;
  if (state === "immediate" || (state === "graceful" && !hasBegun)) stopCall(call, "cancel");
}
