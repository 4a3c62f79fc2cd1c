import type { ModuleSubject, Rule, RuleProblem } from "@toolmount/core/validation";

/**
 * Checks of `mount` and `on_session_ready` that Amplifier's validator makes. Our loader is less strict and also mounts other
 * forms.
 */
export const mountRules: readonly Rule<ModuleSubject>[] = [
  {
    id: "mount_signature",
    severity: "error",
    why: "the host passes the coordinator and the config to mount, and awaits it",
    fix: "write it as async function mount(coordinator, config)",
    *check({ exports: { mount }, isSynchronous }) {
      if (typeof mount !== "function") return;
      if (countParameters(mount as () => unknown) < 2)
        yield found("mount", "it takes fewer than two parameters");
      if (isSynchronous) yield found("mount", "it is not async");
    },
  },
  {
    id: "on_session_ready_async",
    severity: "error",
    why: "the host awaits on_session_ready and passes the coordinator; it ignores other forms",
    fix: "write it as async function on_session_ready(coordinator), or remove it",
    *check({ exports: { on_session_ready: ready } }) {
      if (ready === undefined) return;
      if (typeof ready !== "function" || ready.constructor.name !== "AsyncFunction")
        yield found("on_session_ready", "it is not an async function");
      else if (countParameters(ready as () => unknown) < 1)
        yield found("on_session_ready", "it takes no coordinator");
    },
  },
];

const found = (where: string, problem: string): RuleProblem => ({ where, problem });

/** Returns the number of parameters in a function's text, including those with defaults, which `length` does not count. */
function countParameters(fn: (...parameters: never[]) => unknown): number {
  const text = Function.prototype.toString.call(fn);
  if (/^(?:async\s+)?[\w$]+\s*=>/.test(text)) return 1;
  const open = text.indexOf("(");
  let depth = 0;
  let count = 0;
  let isEmpty = true;
  for (const sign of text.slice(open + 1)) {
    if (depth === 0 && sign === ")") break;
    if ("([{".includes(sign)) depth++;
    if (")]}".includes(sign)) depth--;
    if (sign === "," && depth === 0) count++;
    if (!/\s/.test(sign)) isEmpty = false;
  }
  return Math.max(fn.length, isEmpty ? 0 : count + 1, text.slice(open).startsWith("(...") ? 99 : 0);
}
