// Counts which functions of the packages a program enters, in order. Importing this file makes every source that is imported
// after it report its functions; so the programs that use it import the packages later, with `await import`.
import { registerHooks } from "node:module";
import { dirname, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const entries = [];
let isCounting = false;
globalThis.reportEntry = (entry) => void (isCounting && entries.push(entry));

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const path = url.startsWith("file:") ? relative(root, fileURLToPath(url)).replaceAll(sep, "/") : "";
    if (!/^(?:packages|tools)\/[^/]+\/src\/.*\.ts$/.test(path)) return loaded;
    return { ...loaded, source: withReports(path, Buffer.from(loaded.source).toString()) };
  },
});

/** The functions entered while `act` runs, each as `path#name`, in order, with the value that it returns. */
export async function countEntries(act) {
  entries.length = 0;
  isCounting = true;
  const value = await act().finally(() => (isCounting = false));
  return { value, entries: [...entries] };
}

/** A source whose functions report themselves. Constructors and generators do not: they belong to the call that makes them. */
function withReports(path, source) {
  const inserts = [];
  visit(parseSync(path, source, { lang: "ts" }).program, undefined);
  let text = source;
  for (const [at, insert] of inserts.toSorted(([a], [b]) => b - a))
    text = text.slice(0, at) + insert + text.slice(at);
  return text;

  function visit(node, givenName) {
    if (Array.isArray(node)) return node.forEach((item) => visit(item, givenName));
    if (typeof node?.type !== "string") return;
    if (functionTypes.has(node.type) && node.body && !node.generator && givenName !== isConstructor)
      addReport(node, `${path}#${node.id?.name ?? givenName ?? "(anonymous)"}`);
    for (const member of Object.values(node))
      if (typeof member === "object") visit(member, nameOf(node, givenName));
  }

  function addReport({ body }, name) {
    const report = `globalThis.reportEntry?.(${JSON.stringify(name)})`;
    if (body.type === "BlockStatement" || body.type === "FunctionBody")
      inserts.push([body.start + 1, `${report};`]);
    else inserts.push([body.start, `(${report},`], [body.end, ")"]);
  }
}

const functionTypes = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
const isConstructor = Symbol("constructor");

/** The name that a node gives to a function directly in it. */
function nameOf(node, givenName) {
  switch (node.type) {
    case "MethodDefinition":
    case "PropertyDefinition":
    case "Property":
      return node.kind === "constructor" ? isConstructor : (node.key.name ?? node.key.value);
    case "VariableDeclarator":
      return node.id.name;
    case "FunctionDeclaration":
    case "FunctionExpression":
    case "ArrowFunctionExpression":
    case "CallExpression":
      return undefined;
    default:
      return givenName;
  }
}
