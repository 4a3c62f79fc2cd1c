import type { Omission } from "@toolmount/core";
import { parse } from "unbash";

/** Returns the commands that a script starts in the background with `&` and does not wait for afterwards. */
export function leftInBackground(text: string): readonly string[] {
  const { started, waits } = backgroundOf(parse(text));
  return started
    .filter(({ pos }) => waits.every((wait) => wait < pos))
    .map(({ pos, end }) =>
      text
        .slice(pos, end)
        .replace(/\s*&\s*$/, "")
        .trim(),
    );
}

interface Background {
  /** The positions of the commands that run in the background. */
  readonly started: readonly { readonly pos: number; readonly end: number }[];
  /** The positions where the script waits for commands in the background. */
  readonly waits: readonly number[];
}

/** Searches a part of a script, including its groups, loops and substitutions. */
function backgroundOf(part: unknown): Background {
  if (typeof part !== "object" || part === null) return { started: [], waits: [] };
  const { type, pos, end, background, name } = part as Record<string, unknown> &
    Background["started"][number];
  if (type === "Statement" && background === true) return { started: [{ pos, end }], waits: [] };
  const isWait = type === "Command" && (name as { text?: string } | undefined)?.text === "wait";
  const inner = Object.values(part).map(backgroundOf);
  return {
    started: inner.flatMap(({ started }) => started),
    waits: [...(isWait ? [pos] : []), ...inner.flatMap(({ waits }) => waits)],
  };
}

/** Maximum number of processes that a warning names. */
const maxNamed = 5;

/** Warns about the background processes that were ended together with the command. */
export function endedWarning(commands: readonly string[]): readonly string[] {
  if (commands.length === 0) return [];
  const named = commands.slice(0, maxNamed).map((command) => JSON.stringify(command.slice(0, 200)));
  const more = commands.length > maxNamed ? ` and ${commands.length - maxNamed} more` : "";
  return [
    `processes in the background were ended with the command: ${named.join(", ")}${more}; to keep one running, start it with run_in_background`,
  ];
}

/** Returns the entry of `omitted` for the background processes that were ended together with the command. */
export function endedProcesses({ length: count }: readonly string[]): readonly Omission[] {
  if (count === 0) return [];
  const amount = `${count} ${count === 1 ? "process" : "processes"}`;
  const why = "they were ended with the command, and what they would have done is missing";
  return [{ what: "the work of processes in the background", amount, why, how: "run_in_background: true" }];
}
