import { readdirSync } from "node:fs";
import { readOr } from "./process-usage.ts";

/** The command lines of some processes and of all that they started, without those that only wait for another one. */
export function commandsOf(isProgram: (pid: number) => boolean): readonly string[] {
  const parents = new Map(numbersIn("/proc").map((each) => [each, parentOf(each)]));
  const waiting = new Set(parents.values());
  // A program may have namespaces of its own, in which its children are.
  const isIn = (each: number): boolean => each > 1 && (isProgram(each) || isIn(parents.get(each) ?? 0));
  return [...parents.keys()].filter((each) => !waiting.has(each) && isIn(each)).map(commandOf);
}

/** The names in a folder that are numbers: those of the processes. */
export function numbersIn(folder: string): readonly number[] {
  return readdirSync(folder)
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
}

function parentOf(pid: number): number {
  const stat = readOr(`/proc/${pid}/stat`);
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
}

function commandOf(pid: number): string {
  return readOr(`/proc/${pid}/cmdline`).split("\0").join(" ").trim();
}
