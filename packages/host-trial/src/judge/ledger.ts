import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs";

/** An effect that took place. */
export interface Effect {
  readonly tool: string;
  /** The arguments that the tool got, as JSON text; a BigInt is written as its digits. */
  readonly arguments: string;
}

/** Appends an effect to the ledger. Returns when it is on disk, so what the ledger has took place even if the process dies. */
export function appendEffect(file: string, tool: string, args: unknown): void {
  const descriptor = openSync(file, "a");
  try {
    writeSync(descriptor, `${JSON.stringify({ tool, arguments: exactText(args) })}\n`);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Returns the effects so far, in order. A cut last line does not count, because its tool died before it was written. */
export function readEffects(file: string): readonly Effect[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Effect);
}

/** Returns JSON with sorted members and exact integers, so that equal arguments give equal texts. */
export function exactText(value: unknown): string {
  if (typeof value === "bigint") return String(value);
  if (Array.isArray(value)) return `[${value.map(exactText).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "null";
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${members.map(([key, member]) => `${JSON.stringify(key)}:${exactText(member)}`).join(",")}}`;
}
