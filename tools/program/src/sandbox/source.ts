import { stripTypeScriptTypes } from "node:module";
import type { Thrown } from "./messages.ts";

/** Returns a program as a function. The program's first line is the second line of the text. */
export function asFunction(source: string): string {
  return `(async () => {\n${source}\n})`;
}

/**
 * Whether a valid JavaScript text may have another meaning in TypeScript. This is possible only with type arguments, as in
 * `f<T>(x)`, which JavaScript reads as two comparisons. All other types are invalid in JavaScript, so the engine refuses them.
 */
export function mayHaveTypes(source: string): boolean {
  const from = source.indexOf("<");
  return from >= 0 && /(?<!=)>\s*[(`/]/.test(source.slice(from));
}

const tooDeep = "the program is nested too deeply to be read. Write it in smaller parts";

/**
 * Returns a program as a JavaScript function. Types become blanks, so that each character keeps its place. For what cannot be
 * stripped, such as an enum, and for most mistakes, returns the error. The program begins in the second line.
 */
export function toJavaScript(source: string): { readonly code: string } | { readonly thrown: Thrown } {
  try {
    return { code: stripTypeScriptTypes(asFunction(source)) };
  } catch (error) {
    const { message, stack = "", code } = error as NodeJS.ErrnoException;
    // Node's parser of types overflows its stack, which Node reports as a bug of its own.
    if (code === "ERR_INTERNAL_ASSERTION") return { thrown: { name: "SyntaxError", message: tooDeep } };
    // Node shows the lines around the mistake, with a mark below its position.
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
