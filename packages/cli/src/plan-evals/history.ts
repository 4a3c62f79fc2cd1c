import { appendFile, readFile } from "node:fs/promises";
import type { ToolInfo } from "@toolmount/core";
import { digestOf } from "@toolmount/core/internal";
import type { EvalRun } from "@toolmount/testing/evals";

/** Reads the runs that a file keeps, oldest first; a file that is not there has none. */
export async function readHistory(file: string): Promise<EvalRun[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = text.split("\n").filter((line) => line !== "");
  return lines.map((line) => JSON.parse(line) as EvalRun);
}

/** Adds a run at the end of the file. */
export async function addToHistory(file: string, run: EvalRun): Promise<void> {
  await appendFile(file, `${JSON.stringify(run)}\n`);
}

/** A run as a history keeps it. */
export function toRun(passRate: number, tools: readonly ToolInfo[]): EvalRun {
  const entries = tools.map(
    ({ name, description, inputSchema, version }) =>
      [name, { definition: digestOf({ description, inputSchema }).slice(0, 12), version }] as const,
  );
  return { passRate, tools: Object.fromEntries(entries) };
}
