import type { End, Thrown } from "./messages.ts";

/** Whether an error says that the engine has no memory for what a program wants. */
export function isOutOfMemory({ name, message }: Thrown): boolean {
  return name === "InternalError" && message === "out of memory";
}

/** Returns what the error of a program says, with the place of the program's own code that its stack names first. */
export function endOf({ name, message, code, stack }: Thrown & { stack?: string }): End {
  return {
    thrown: {
      name,
      message: message.slice(0, 2_000),
      ...(code === undefined ? {} : { code: code.slice(0, 200) }),
      ...foundIn(stack),
    },
  };
}

/** The place that a stack names, without the members that are not known. */
export function foundIn(stack = ""): Pick<Thrown, "line" | "column"> {
  const { line, column } = placeIn(stack);
  return { ...(line === null ? {} : { line }), ...(column === null ? {} : { column }) };
}

/** The place of the program's own code that a stack names first. The program begins in the second line of its file. */
export function placeIn(stack: string): { readonly line: number | null; readonly column: number | null } {
  const [, line, column] = /program\.ts:(\d+)(?::(\d+))?/.exec(stack) ?? [];
  return {
    line: line === undefined ? null : Math.max(1, Number(line) - 1),
    column: column === undefined ? null : Number(column),
  };
}
