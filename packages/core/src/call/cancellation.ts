import type { CancellationState, CancellationToken } from "../contract/cancellation.ts";
import type { Call, FollowedToken } from "./call.ts";
import { stopCall } from "./transitions.ts";

/**
 * Stops calls with their callers: when the caller's signal aborts, or when its token changes its state. A signal or a token
 * has one listener for all its calls, because a listener for each call would cost ten times as much. It also has a list of its
 * calls, because a server that closes aborts ten thousand signals at once, and to look through all active calls for each
 * signal would block it for seconds.
 */
export class CallerWatch {
  readonly #signals = new WeakMap<AbortSignal, Call[]>();
  readonly #tokens = new WeakMap<CancellationToken, FollowedToken>();
  #lastSignal: AbortSignal | null = null;
  #lastCalls: Call[] | null = null;

  /** Follows a signal, until {@link leaveSignal}. The caller checks first whether the signal is aborted already. */
  followSignal(call: Call, signal: AbortSignal): void {
    if (signal !== this.#lastSignal) {
      this.#lastCalls = this.#callsOf(signal);
      this.#lastSignal = signal;
    }
    call.signalPlace = this.#lastCalls!.push(call) - 1;
    call.followedSignal = this.#lastCalls;
  }

  #callsOf(signal: AbortSignal): Call[] {
    const known = this.#signals.get(signal);
    if (known !== undefined) return known;
    const calls: Call[] = [];
    this.#signals.set(signal, calls);
    const stopAll = () => {
      for (const call of calls.slice()) stopCall(call, "caller");
    };
    signal.addEventListener("abort", stopAll, { once: true });
    return calls;
  }

  /** Follows a token, until {@link leaveToken}. A cancellation that was requested before applies immediately. */
  followToken(call: Call, token: CancellationToken): void {
    const followed = this.#tokens.get(token) ?? { calls: new Set(), stopListening: null };
    this.#tokens.set(token, followed);
    call.followedToken = followed;
    followed.calls.add(call);
    followed.stopListening ??= token.onChange((state) => {
      for (const one of followed.calls) applyCancellation(one, state);
    });
    const { state } = token;
    if (state !== "none") applyCancellation(call, state);
  }

  /** Drops the references to the last signal, so that the host does not keep it in memory. */
  forget(): void {
    this.#lastSignal = null;
    this.#lastCalls = null;
  }
}

/** Removes an ended call from its signal's list; the last call takes its place. A set would cost a call a quarter of its time. */
export function leaveSignal(call: Call, calls: Call[]): void {
  call.followedSignal = null;
  const last = calls.pop()!;
  if (last === call) return;
  calls[call.signalPlace] = last;
  last.signalPlace = call.signalPlace;
}

/** Removes an ended call from its token. The last call stops the listening, so that neither keeps the other in memory. */
export function leaveToken(call: Call, token: FollowedToken): void {
  token.calls.delete(call);
  if (token.calls.size > 0) return;
  token.stopListening?.();
  token.stopListening = null;
}

/** Stops a call: `immediate` stops every call, `graceful` only a call whose tool has not begun and that no running tool made. */
export function applyCancellation(call: Call, state: CancellationState): void {
  const hasBegun = call.parent !== null || call.executing;
  if (state === "immediate" || (state === "graceful" && !hasBegun)) stopCall(call, "cancel");
}
