import { ChildProcess } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";

/** Node's names of the functions that send a signal. The last two open the inspector of another process. */
const senders = ["kill", "_kill", "_debugProcess", "_debugEnd"];

/**
 * Removes the functions that send signals from this process, before it imports a module. Node's permission model has no rule
 * for signals: one could end the host, and another opens the inspector of any Node program of the same user. Internal bindings,
 * threads, programs and this process's inspector, which could bring the functions back, are denied by the model.
 */
export function withoutSignals(): void {
  for (const name of senders) take(process, name);
  // oxlint-disable-next-line no-underscore-dangle -- Node's own name
  const { _handle: handle } = new ChildProcess() as ChildProcess & { readonly _handle: object };
  take(Object.getPrototypeOf(handle) as object, "kill");
  // `import { kill } from "node:process"` returns a copy, which this updates.
  syncBuiltinESMExports();
}

function take(owner: object, name: string): void {
  const value = () => {
    throw Object.assign(new Error("a signal cannot be sent behind this border"), {
      code: "ERR_ACCESS_DENIED",
    });
  };
  Object.defineProperty(owner, name, { value, writable: false, configurable: false });
}
