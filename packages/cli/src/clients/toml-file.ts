import { isDeepStrictEqual } from "node:util";
import { isRecord } from "@toolmount/core/json";
import { usageError } from "../process/usage-error.ts";

/**
 * Returns the text of a TOML file after the table `[key.name]`, with the tables below it, was replaced or, if `value` is
 * undefined, removed. All other lines stay. Throws `USAGE_INVALID` if the value is written otherwise than as a table, such as in
 * one line with others.
 */
export async function editToml(
  text: string,
  [key = "", name = ""]: readonly string[],
  value: unknown,
  file: string,
): Promise<string> {
  const { parse, stringify } = await import("smol-toml");
  // A line that begins with a bracket may also be part of a list or of a text.
  const pathOf = (line: string) => trying(() => keysOf(parse(line.trimEnd())), null);
  const kept = withoutTable(text, pathOf, ([first, second]) => first === key && second === name).trimEnd();
  const added = value === undefined ? "" : stringify({ [key]: { [name]: value } }).trim();
  const after = [kept, added]
    .filter((part) => part !== "")
    .map((part) => `${part}\n`)
    .join("\n");
  const wanted = settingsWith(parse(text), [key, name], value);
  const isWanted = () => isDeepStrictEqual(settingsOf(parse(after), key), wanted);
  if (trying(isWanted, false)) return after;
  throw usageError(
    `${file} has ${name} in a form that toolmount cannot change; write it as a table of its own, [${key}.${name}]`,
  );
}

/** Returns `otherwise` if the text that `read` reads is not TOML. */
function trying<Value, Otherwise>(read: () => Value, otherwise: Otherwise): Value | Otherwise {
  try {
    return read();
  } catch {
    return otherwise;
  }
}

/** Returns the names of the only table that a text has; of `[a.b]`, a and b. */
function keysOf(value: unknown): readonly string[] {
  const [only] = isRecord(value) ? Object.entries(value) : [];
  return only === undefined ? [] : [only[0], ...keysOf(only[1])];
}

/** Leaves out the lines of tables. Comments and blank lines above the table after them belong to that one. */
function withoutTable(
  text: string,
  pathOf: (line: string) => readonly string[] | null,
  isOut: (path: readonly string[]) => boolean,
): string {
  const kept: string[] = [];
  let isIn = false;
  let above: string[] = [];
  for (const line of text.split("\n")) {
    const path = /^\s*\[/.test(line) ? pathOf(line) : null;
    if (path !== null) isIn = isOut(path);
    const isGap = above[0]?.trim() === "" && kept.at(-1)?.trim() === "";
    if (!isIn) kept.push(...above.slice(isGap ? 1 : 0), line);
    above = isIn && /^\s*(?:#.*)?$/.test(line) ? [...above, line] : [];
  }
  return [...kept, ...above].join("\n");
}

function settingsWith(
  { ...parsed }: Readonly<Record<string, unknown>>,
  [key, name]: readonly [key: string, name: string],
  value: unknown,
): unknown {
  const servers = isRecord(parsed[key]) ? parsed[key] : {};
  return settingsOf({ ...parsed, [key]: { ...servers, [name]: value } }, key);
}

/** Returns settings as JSON has them. A list of servers that is empty counts as none. */
function settingsOf(parsed: Readonly<Record<string, unknown>>, key: string): unknown {
  const { [key]: servers, ...others } = JSON.parse(JSON.stringify(parsed)) as Record<string, unknown>;
  const isEmpty = isRecord(servers) && Object.keys(servers).length === 0;
  return isEmpty || servers === undefined ? others : { ...others, [key]: servers };
}
