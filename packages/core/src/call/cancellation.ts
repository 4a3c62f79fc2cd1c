import type { CancellationState, CancellationToken } from "../contract/cancellation.ts";
import type { UnorderedList } from "../scheduling/time.ts";
import type { Call } from "./call.ts";
import type { FollowedToken } from "./call-state.ts";
import { stopCall } from "./transitions.ts";

/**
 * Stops active calls with their callers: when the caller's signal aborts, or when its token changes its state. A signal and
 * a token have one listener for all their calls: a listener for each call would cost ten times as much.
 */
export class CallerWatch {
  readonly #active: UnorderedList<Call>;
  readonly #signals = new WeakSet<AbortSignal>();
  readonly #tokens = new WeakMap<CancellationToken, FollowedToken>();
  #lastSignal: AbortSignal | null = null;

  constructor(active: UnorderedList<Call>) {
    this.#active = active;
  }

  /** Follows a signal, until the call ends. The caller checks first whether the signal is aborted already. */
  followSignal(call: Call, signal: AbortSignal): void {
    call.signal = signal;
    if (signal === this.#lastSignal) return;
    this.#lastSignal = signal;
    if (this.#signals.has(signal)) return;
    this.#signals.add(signal);
    const stopAll = () => {
      for (const one of this.#active.items()) if (one.signal === signal) stopCall(one, "caller");
    };
    signal.addEventListener("abort", stopAll, { once: true });
  }

  /** Follows a token, until {@link leaveToken}. A cancellation that was requested before applies immediately. */
  followToken(call: Call, token: CancellationToken): void {
    const followed = this.#tokens.get(token) ?? { calls: 0, stopListening: null };
    this.#tokens.set(token, followed);
    call.followed = followed;
    followed.calls++;
    followed.stopListening ??= token.onChange((state) => {
      for (const one of this.#active.items()) if (one.followed === followed) applyCancellation(one, state);
    });
    const { state } = token;
    if (state !== "none") applyCancellation(call, state);
  }

  /** Drops the reference to the last signal, so that the host does not keep it in memory. */
  forget(): void {
    this.#lastSignal = null;
  }
}

/** A call has ended: its token has one less. */
export function leaveToken(followed: FollowedToken): void {
  if (--followed.calls > 0) return;
  followed.stopListening?.();
  followed.stopListening = null;
}

/** `immediate` stops a call; `graceful` only one whose tool has not begun, unless a running tool made it. */
export function applyCancellation(call: Call, state: CancellationState): void {
  const hasBegun = call.parent !== null || call.executing;
  if (state === "immediate" || (state === "graceful" && !hasBegun)) stopCall(call, "cancel");
}
