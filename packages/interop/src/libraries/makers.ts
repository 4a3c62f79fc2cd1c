type Make = (...given: readonly unknown[]) => unknown;

/** Whether a function is a class. */
export function classOf(make: Make): boolean {
  return /^class\b/.test(Function.prototype.toString.call(make));
}

/** Methods of classes whose instances are tools: LangChain's, Aptix's, Amplifier's, BeeAI's. */
const methods = ["_call", "_run", "ExecuteAsync", "execute"] as const;

/** Whether a class makes a tool, as its methods show. */
export function isToolClass(make: Make): boolean {
  const { prototype } = make as { readonly prototype?: unknown };
  if (!classOf(make) || typeof prototype !== "object" || prototype === null) return false;
  return methods.some((name) => typeof (prototype as Record<string, unknown>)[name] === "function");
}
