type Make = (...given: readonly unknown[]) => unknown;

/** Whether a function is a class. */
export function classOf(make: Make): boolean {
  return /^class\b/.test(Function.prototype.toString.call(make));
}

/** Methods that only classes of tools have: LangChain's, BeeAI's, Aptix's. Many a class has an `execute`. */
const methods = ["_call", "_run", "ExecuteAsync"] as const;

/** Whether a class makes a tool, as its methods show. */
export function isToolClass(make: Make): boolean {
  const { prototype } = make as { readonly prototype?: unknown };
  if (!classOf(make) || typeof prototype !== "object" || prototype === null) return false;
  return methods.some((name) => typeof (prototype as Record<string, unknown>)[name] === "function");
}
