import { readFile } from "node:fs/promises";
import type { ToolInfo } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import type { EvalRun } from "@toolmount/testing/evals";
import { addLine } from "../process/add-line.ts";

/** Reads the runs that a file keeps, oldest first; a file that is not there has none. A half last line is no run. */
export async function readHistory(file: string): Promise<EvalRun[]> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return "";
    throw error;
  });
  const lines = text.split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as EvalRun);
}

/** Adds a run at the end of the file. */
export function addToHistory(file: string, run: EvalRun): void {
  addLine(file, JSON.stringify(run));
}

/** A run as a history keeps it. */
export function toRun(passRate: number, tools: readonly ToolInfo[]): EvalRun {
  const entries = tools.map(
    ({ name, description, inputSchema, version }) =>
      [name, { definition: digestOf({ description, inputSchema }).slice(0, 12), version }] as const,
  );
  return { passRate, tools: Object.fromEntries(entries) };
}
