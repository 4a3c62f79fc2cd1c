import type { End, Thrown } from "./messages.ts";

/** Whether an error means that the engine has too little memory for the program. */
export function isOutOfMemory({ name, message }: Thrown): boolean {
  return name === "InternalError" && message === "out of memory";
}

/** Returns a program's error as its end, with the first place in the stack that is in the program's own code. */
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

/** Returns the place that a stack names, without unknown members. */
export function foundIn(stack = ""): Pick<Thrown, "line" | "column"> {
  const { line, column } = placeIn(stack);
  return { ...(line === null ? {} : { line }), ...(column === null ? {} : { column }) };
}

/** Returns the first place in a stack that is in the program's own code, which begins in the second line of its file. */
export function placeIn(stack: string): { readonly line: number | null; readonly column: number | null } {
  const [, line, column] = /program\.ts:(\d+)(?::(\d+))?/.exec(stack) ?? [];
  return {
    line: line === undefined ? null : Math.max(1, Number(line) - 1),
    column: column === undefined ? null : Number(column),
  };
}
