import { appendFileSync, existsSync, readFileSync } from "node:fs";
import type { Tool } from "@toolmount/core";

/**
 * Tools whose calls are kept in a file, so that a world outlives its process: calls in the file are made again, in
 * order, and each later call is added when it has ended. A world repeats itself exactly, so the state is as it was.
 *
 * Without a path the tools are as they were given.
 */
export async function keepJournal<Given extends Tool>(
  path: string,
  tools: readonly Given[],
): Promise<readonly Given[]> {
  if (path === "") return tools;
  for (const { name, arguments: given } of readJournal(path)) {
    const tool = tools.find((each) => each.name === name);
    if (tool === undefined) throw new Error(`${path} has a call of ${name}, which this world has not`);
    await attempt(tool, given);
  }
  return tools.map((tool) => ({
    ...tool,
    async execute(...call: Parameters<Given["execute"]>) {
      const line = `${JSON.stringify({ name: tool.name, arguments: call[0] })}\n`;
      try {
        return await tool.execute(...(call as Parameters<Tool["execute"]>));
      } finally {
        // Failed calls, too: some change a part before they fail.
        appendFileSync(path, line);
      }
    },
  }));
}

interface JournalCall {
  readonly name: string;
  readonly arguments: unknown;
}

function readJournal(path: string): JournalCall[] {
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as JournalCall);
}

/** A call that failed then fails again now, in the same way. */
export async function attempt(tool: Tool, given: unknown): Promise<void> {
  try {
    await tool.execute(given, {});
  } catch {
    return;
  }
}
