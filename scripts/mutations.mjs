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

/** All mutations of a file: where each is, what stood there, and what stands there instead. */
export function mutationsOf(path, code) {
  const { program, errors } = parseSync(path, code);
  if (errors.length > 0) throw new Error(`${path} cannot be parsed: ${errors[0].message}`);
  const found = [];
  const visit = (node) => {
    const change = kinds[node.type]?.(node, code);
    if (change !== undefined) found.push({ ...mutation(path, code, change), probe: probeOf(node) });
    for (const child of Object.values(node)) childrenOf(child).forEach(visit);
    // A property's name in quotes has no place for a probe.
    const name = node.computed === false ? found.find(({ start }) => start === node.key?.start) : undefined;
    if (name !== undefined) name.probe = undefined;
  };
  childrenOf(program.body).forEach(visit);
  return found;
}

/** The code that runs where the mutation would, and whether it is a statement or a value. */
function probeOf(node) {
  const { start, end } = node.type.endsWith("Statement") && "test" in node ? node.test : node;
  return { start, end, isStatement: node.type === "ExpressionStatement" };
}

/** The code with a call of `reached(n)` where the mutation number n changes it. */
export function withProbes(code, mutations, reached) {
  const inserts = mutations
    .map(({ probe, number }) => ({ ...probe, number }))
    .filter(({ start }) => start !== undefined)
    .toSorted((a, b) => b.end - b.start - (a.end - a.start))
    .flatMap(({ start, end, number, isStatement }, depth) => [
      {
        at: start,
        order: depth + 1,
        text: isStatement ? `{ ${reached}(${number}); ` : `(${reached}(${number}), `,
      },
      { at: end, order: -depth, text: isStatement ? " }" : ")" },
    ])
    .toSorted((a, b) => a.at - b.at || a.order - b.order);
  let [text, from] = ["", 0];
  for (const insert of inserts) {
    text += code.slice(from, insert.at) + insert.text;
    from = insert.at;
  }
  return text + code.slice(from);
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
