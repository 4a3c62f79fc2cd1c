import { stripTypeScriptTypes } from "node:module";
import type { Thrown } from "./messages.ts";

/** Returns a program as a function. Its first line is the second one of the text. */
export function asFunction(source: string): string {
  return `(async () => {\n${source}\n})`;
}

/**
 * Whether a text that is JavaScript may mean something else in TypeScript. That is so only for type arguments, as in
 * `f<T>(x)`, which JavaScript reads as two comparisons. All other types are no JavaScript, so the engine refuses them.
 */
export function mayHaveTypes(source: string): boolean {
  const from = source.indexOf("<");
  return from >= 0 && /(?<!=)>\s*[(`/]/.test(source.slice(from));
}

const tooDeep = "the program is nested too deeply to be read. Write it in smaller parts";

/**
 * A program as a function of JavaScript: its types become blanks, so that each character keeps its place. What cannot be
 * stripped, such as an enum, and most mistakes come back as the error. Its lines begin at the second.
 */
export function toJavaScript(source: string): { readonly code: string } | { readonly thrown: Thrown } {
  try {
    return { code: stripTypeScriptTypes(asFunction(source)) };
  } catch (error) {
    const { message, stack = "", code } = error as NodeJS.ErrnoException;
    // The parser of types runs out of its stack, and calls that a bug of Node.
    if (code === "ERR_INTERNAL_ASSERTION") return { thrown: { name: "SyntaxError", message: tooDeep } };
    // Node shows the lines around the mistake, with a mark below it.
    const [, line, marked = ""] = /^:(\d+)\n(?:.*\n){0,9}?( *)\^/.exec(stack) ?? [];
    return {
      thrown: {
        name: "SyntaxError",
        message,
        ...(line === undefined ? {} : { line: Math.max(1, Number(line) - 1), column: marked.length + 1 }),
      },
    };
  }
}
