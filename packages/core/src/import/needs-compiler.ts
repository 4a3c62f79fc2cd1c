import { stripTypeScriptTypes } from "node:module";

/**
 * Whether a file of TypeScript needs a compiler: Node only takes types out. It refuses what generates code, such as `enum`,
 * and passes on decorators, JSX, and imports of names that are only types. A file that is no TypeScript needs none: Node's
 * error for it has the place.
 */
export function needsCompiler(text: string, ending: string): boolean {
  if (ending === ".tsx") return true;
  try {
    const code = maskText(withoutWarning(() => stripTypeScriptTypes(text)));
    return hasDecorator(code) || hasUnusedImport(code);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX";
  }
}

/** Replaces comments, quoted text and regular expressions by spaces. Of a template, the code stays. */
export function maskText(text: string): string {
  return text.replaceAll(quoted, (each) => {
    const code = each.startsWith("`") ? (each.match(/\$\{[^}]*/g) ?? []).join(" ") : "";
    return `${code}${each.replaceAll(/[^\n]/g, "")} `;
  });
}

const quoted = new RegExp(
  [
    /\/\*[\s\S]*?\*\/|\/\/[^\n]*/,
    /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`/,
    /(?<=(?:^|[=(,:[!&|?{};>]|\breturn)\s*)\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/,
  ]
    .map(({ source }) => source)
    .join("|"),
  "gm",
);

/** In code without quoted text, `@` begins a decorator. */
function hasDecorator(code: string): boolean {
  return code.includes("@");
}

/** An import that `tsc` leaves out, because no code uses its name. */
function hasUnusedImport(code: string): boolean {
  const names = new Set<string>();
  const rest = code.replaceAll(/\bimport\s+([\w$\s,{}*]+?)\s+from\b/g, (_, clause: string) => {
    for (const name of namesIn(clause)) names.add(name);
    return "";
  });
  const used = new Set(rest.match(/[\w$]+/g));
  return [...names].some((name) => !used.has(name));
}

/** The names that a file gives to what it imports. */
function namesIn(clause: string): readonly string[] {
  return clause
    .split(/[{},]/)
    .map((part) => /([\w$]+)\s*$/.exec(part)?.[1] ?? "")
    .filter((name) => name !== "");
}

/** Node warns at the first use of its own function. Nothing else can warn meanwhile, because the work does not wait. */
function withoutWarning<Result>(work: () => Result): Result {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
