import { stripTypeScriptTypes } from "node:module";

/**
 * Whether a TypeScript file needs a compiler, because Node only removes types: it refuses syntax that generates code, such as
 * `enum`, and keeps decorators, JSX, and imports of names that are only types. False for a file with invalid syntax, because
 * Node's error for it states the place.
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

/** Replaces comments, quoted text and regular expressions by spaces. The code inside of template strings is kept. */
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

/** Whether code has a decorator, which `@` begins once quoted text is removed. */
function hasDecorator(code: string): boolean {
  return code.includes("@");
}

/** Whether code has an import that `tsc` leaves out, because nothing uses its name. */
function hasUnusedImport(code: string): boolean {
  const names = new Set<string>();
  const rest = code.replaceAll(/\bimport\s+([\w$\s,{}*]+?)\s+from\b/g, (_, clause: string) => {
    for (const name of namesIn(clause)) names.add(name);
    return "";
  });
  const used = new Set(rest.match(/[\w$]+/g));
  return [...names].some((name) => !used.has(name));
}

/** Returns the names that an import clause declares. */
function namesIn(clause: string): readonly string[] {
  return clause
    .split(/[{},]/)
    .map((part) => /([\w$]+)\s*$/.exec(part)?.[1] ?? "")
    .filter((name) => name !== "");
}

/** Runs `work` without Node's warning about its own function. `work` is synchronous, so no other warning is lost. */
function withoutWarning<Result>(work: () => Result): Result {
  const emitWarning = process.emitWarning.bind(process);
  process.emitWarning = () => {};
  try {
    return work();
  } finally {
    process.emitWarning = emitWarning;
  }
}
