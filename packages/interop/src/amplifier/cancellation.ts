import type { CancellationToken } from "@toolmount/core";

/** The tokens, by the objects that `showCancellation` has returned for them. */
const tokens = new WeakMap<object, CancellationToken>();

function tokenOf(given: object): CancellationToken {
  return tokens.get(given) ?? (given as CancellationToken);
}

/** Returns an object that shows a token under Amplifier's names. Source: KERNEL.md §3. */
export function showCancellation(token: CancellationToken) {
  const view = {
    get state() {
      return token.state;
    },
    get is_cancelled() {
      return token.isCancelled;
    },
    get is_graceful() {
      return token.isGraceful;
    },
    get is_immediate() {
      return token.isImmediate;
    },
    get running_tools() {
      return token.runningTools;
    },
    get running_tool_names() {
      return token.runningToolNames;
    },
    request_graceful: () => token.requestGraceful(),
    request_immediate: () => token.requestImmediate(),
    reset: () => token.reset(),
    register_tool_start: (id: string, name: string) => token.registerToolStart(id, name),
    register_tool_complete: (id: string) => token.registerToolComplete(id),
    register_child: (child: object) => token.registerChild(tokenOf(child)),
    unregister_child: (child: object) => token.unregisterChild(tokenOf(child)),
    on_cancel: (callback: () => unknown) => token.onCancel(callback),
    trigger_callbacks: () => token.triggerCallbacks(),
  };
  tokens.set(view, token);
  return view;
}
