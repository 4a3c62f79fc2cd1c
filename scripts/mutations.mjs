// The mutations that `mutate.mjs` tries: one small change of a source each, where a test should notice it.
import { parseSync } from "oxc-parser";

const swapped = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "*": "/",
  "&&": "||",
  "||": "&&",
  "??": "&&",
};

/** What one node of a syntax tree can become: the range that changes, and its new text. */
const kinds = {
  BinaryExpression: operatorOf,
  LogicalExpression: operatorOf,
  Literal(node, code) {
    if (typeof node.value === "boolean") return [node.start, node.end, String(!node.value)];
    if (typeof node.value === "number") return [node.start, node.end, String(node.value + 1)];
    if (typeof node.value !== "string" || node.value === "") return undefined;
    return [node.start, node.end, JSON.stringify(`${code.slice(node.start + 1, node.end - 1)}~`)];
  },
  UnaryExpression: (node) => (node.operator === "!" ? [node.start, node.start + 1, ""] : undefined),
  IfStatement: (node) => [node.test.start, node.test.end, "false"],
  ConditionalExpression: (node) => [node.test.start, node.test.end, "true"],
  ExpressionStatement: (node) =>
    node.expression.type === "CallExpression" ? [node.start, node.end, ";"] : undefined,
};

function operatorOf({ left, right, operator }, code) {
  const start = code.indexOf(operator, left.end);
  if (swapped[operator] === undefined || start === -1 || start >= right.start) return undefined;
  return [start, start + operator.length, swapped[operator]];
}

/** Where a change means nothing for a program that runs: types, and the names that imports and exports say. */
const isSkipped = (type) =>
  type.startsWith("TS") || type.startsWith("Import") || /^Export(All|Named)/.test(type);

/**
 * All mutations of a file: where each is, what stood there, what stands there instead, the node that both are in, and whether it
 * runs only while the module is imported.
 */
export function mutationsOf(path, code) {
  const { program, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  const found = [];
  const visit = (node, parent, isImport) => {
    const change = kinds[node.type]?.(node, code);
    if (change !== undefined)
      found.push({ ...mutation(path, code, change), node: nodeOf(node, parent), isImport });
    const isOutside = isImport && !runsLater(node);
    for (const child of Object.values(node)) childrenOf(child).forEach((one) => visit(one, node, isOutside));
  };
  childrenOf(program.body).forEach((one) => visit(one, undefined, true));
  return found;
}

/** Functions run when they are called, and the members of an object when it is made. */
function runsLater({ type, static: isStatic }) {
  return /Function/.test(type) || (type === "PropertyDefinition" && !isStatic);
}

/** What has to stand as a whole in each branch of a switch. A property's name becomes a computed one. */
function nodeOf(node, parent) {
  const { start, end } = node.type === "IfStatement" ? node.test : node;
  const isName = parent?.key === node && parent.computed === false;
  return { start, end, kind: isName ? "name" : node.type === "ExpressionStatement" ? "statement" : "value" };
}

/**
 * The code with all its mutations, each behind a call of `mutated(number)`: one text serves every mutation, and says which of
 * them it reaches.
 */
export function withSwitches(code, mutations) {
  const nodes = [...Map.groupBy(mutations, ({ node }) => `${node.start}-${node.end}-${node.kind}`).values()]
    .map((own) => ({ ...own[0].node, own }))
    .toSorted((a, b) => a.start - b.start || b.end - a.end || (a.kind === "statement" ? -1 : 1));
  const render = (from, to) => {
    let [text, at] = ["", from];
    while (nodes.length > 0 && nodes[0].start < to) {
      const node = nodes.shift();
      text += code.slice(at, node.start) + switchOf(node, render(node.start, node.end), code);
      at = node.end;
    }
    return text + code.slice(at, to);
  };
  return render(0, code.length);
}

function switchOf({ kind, own }, inner, code) {
  if (kind === "statement") return `{ if (!mutated(${own[0].number})) { ${inner} } }`;
  const branches = own.map((one) => `mutated(${one.number}) ? ${branchOf(one, code)} : `).join("");
  return kind === "name" ? `[${branches}${inner}]` : `(${branches}(${inner}))`;
}

/** The node as it is with the mutation. `??` may not stand beside `&&` and `||` without parentheses. */
function branchOf({ node, start, end, before, after }, code) {
  const [left, right] = [code.slice(node.start, start), code.slice(end, node.end)];
  return before in swapped ? `((${left})${after}(${right}))` : `(${left}${after}${right})`;
}

/** `as const`, `satisfies T` and `x!` are types around a value. */
const wrappers = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

function childrenOf(value) {
  if (Array.isArray(value)) return value.flatMap(childrenOf);
  if (typeof value?.type !== "string") return [];
  // An exported function is a declaration like any other; a list of exported names has nothing to change.
  if (value.type === "ExportNamedDeclaration") return childrenOf(value.declaration);
  if (wrappers.has(value.type)) return childrenOf(value.expression);
  return isSkipped(value.type) ? [] : [value];
}

function mutation(path, code, [start, end, text]) {
  const line = code.slice(0, start).split("\n").length;
  return { path, line, start, end, before: code.slice(start, end), after: text };
}

/** Numbers from 0 to 1 that look random, and are the same for the same seed. */
export function* numbers(seed) {
  for (let state = (seed % 2_147_483_646) + 1; ;)
    yield (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}
