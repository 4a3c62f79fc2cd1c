import { AsyncLocalStorage } from "node:async_hooks";
import { context, type Context } from "@opentelemetry/api";

/**
 * Bound to the tracing channel's `start`, makes a call run inside an OpenTelemetry context, so that spans which the tool
 * or its libraries begin lie under the call's.
 *
 * OpenTelemetry keeps its context where only its API gets at it, so this store keeps nothing itself.
 */
export class ContextStore extends AsyncLocalStorage<Context> {
  override run<Result>(store: Context, callback: () => Result): Result;
  override run<Result, Args extends unknown[]>(
    store: Context,
    callback: (...args: Args) => Result,
    ...args: Args
  ): Result {
    return context.with(store, () => callback(...args));
  }
}
