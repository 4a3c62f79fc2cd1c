import { printable, printableLines } from "./printable.ts";
import type { Screen } from "./screen.ts";

/** Lines that show a JSON value to a person: keys before values, texts as they read, one item a line. */
export function valueLines(value: unknown, screen: Screen): string[] {
  if (typeof value === "string") return printableLines(value).replace(/\n$/, "").split("\n");
  if (Array.isArray(value))
    return value.length === 0 ? ["[]"] : value.flatMap((item) => itemLines(item, screen));
  if (typeof value !== "object" || value === null) return [String(value)];
  const members = Object.entries(value);
  return members.length === 0 ? ["{}"] : members.flatMap(([key, member]) => memberLines(key, member, screen));
}

function itemLines(item: unknown, screen: Screen): string[] {
  const [first = "", ...rest] = valueLines(item, screen);
  return [`- ${first}`, ...rest.map((line) => `  ${line}`)];
}

function memberLines(key: string, value: unknown, screen: Screen): string[] {
  const name = screen.paint("cyan", `${printable(key)}:`);
  const lines = valueLines(value, screen);
  const nested = typeof value === "object" && value !== null && Object.keys(value).length > 0;
  if (lines.length === 1 && !nested) return [`${name} ${lines[0]}`];
  return [name, ...lines.map((line) => `  ${line}`)];
}
