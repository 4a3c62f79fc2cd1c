/** A TOML table with the values that lists of servers need: texts, numbers, booleans, lists and tables. */
type Table = Record<string, unknown>;

/** A value from the beginning of a text, and the rest of the text. */
interface Read {
  readonly value: unknown;
  readonly rest: string;
}

const key = String.raw`(?:[\w-]+|"(?:[^"\\]|\\.)*"|'[^']*')`;
const dotted = String.raw`${key}(?:\s*\.\s*${key})*`;
const header = new RegExp(String.raw`^\[\s*(${dotted})\s*\]\s*(?:#.*)?$`);
const pair = new RegExp(String.raw`^(${dotted})\s*=\s*([^]*)$`);

/**
 * Reads TOML as Codex writes it. At TOML that it does not support, such as dates and lists of tables, it calls `refuse` with the
 * line.
 */
export function readToml(text: string, refuse: (line: number) => never): Table {
  const root: Table = Object.create(null) as Table;
  let table = root;
  const lines = text.split(/\r?\n/);
  for (let at = 0; at < lines.length; at++) {
    const first = at + 1;
    let line = lines[at]!.trim();
    if (line === "" || line.startsWith("#")) continue;
    const [, name] = header.exec(line) ?? [];
    if (name !== undefined) {
      table = tableAt(root, keysOf(name)) ?? refuse(first);
      continue;
    }
    // A list may continue on the next lines.
    while (readPair(line) === null && at + 1 < lines.length && /[[,{]\s*(?:#.*)?$|^[^=]*=\s*\[/.test(line))
      line += `\n${lines[++at]!.trim()}`;
    const read = readPair(line) ?? refuse(first);
    const path = keysOf(read.name);
    const inner = tableAt(table, path.slice(0, -1)) ?? refuse(first);
    inner[path.at(-1)!] = read.value;
  }
  return root;
}

function readPair(line: string): { readonly name: string; readonly value: unknown } | null {
  const [, name, written] = pair.exec(line) ?? [];
  const read = written === undefined ? null : readValue(written);
  return read === null || name === undefined || skip(read.rest) !== "" ? null : { name, value: read.value };
}

function keysOf(name: string): string[] {
  return [...name.matchAll(new RegExp(key, "g"))].map(([one]) => readText(one)?.value ?? one);
}

function tableAt(from: Table, path: readonly string[]): Table | null {
  let table = from;
  for (const name of path) {
    const inner = (table[name] ??= Object.create(null)) as Table;
    if (typeof inner !== "object" || Array.isArray(inner)) return null;
    table = inner;
  }
  return table;
}

/** Removes blanks, line ends and comments from the beginning of a text. */
function skip(text: string): string {
  return text.replace(/^(?:\s|#[^\n]*)+/, "");
}

function readValue(written: string): Read | null {
  if (written.startsWith("[")) return readList(written.slice(1));
  if (written.startsWith("{")) return readInline(written.slice(1));
  const plain = /^(?:true|false|[+-]?\d+(?:\.\d+)?)(?=[\s,\]}#]|$)/.exec(written)?.[0];
  if (plain !== undefined)
    return { value: JSON.parse(plain.replace("+", "")), rest: written.slice(plain.length) };
  return readText(written);
}

function readText(written: string): (Read & { readonly value: string }) | null {
  const [whole, double, single] = /^(?:"((?:[^"\\\n]|\\.)*)"(?!")|'([^'\n]*)'(?!'))/.exec(written) ?? [];
  if (whole === undefined) return null;
  const rest = written.slice(whole.length);
  if (single !== undefined) return { value: single, rest };
  if (!jsonText.test(double!)) return null;
  return { value: JSON.parse(`"${double!.replaceAll("\t", "\\t")}"`) as string, rest };
}

/** Text with only those of TOML's escapes that JSON has, too. */
const jsonText = /^(?:[^\\\p{Cc}]|\t|\\["\\/bfnrt]|\\u[\da-fA-F]{4})*$/u;

function readList(written: string): Read | null {
  const value: unknown[] = [];
  let rest = skip(written);
  while (!rest.startsWith("]")) {
    const read = readValue(rest);
    if (read === null) return null;
    value.push(read.value);
    rest = skip(read.rest);
    if (rest.startsWith(",")) rest = skip(rest.slice(1));
    else if (!rest.startsWith("]")) return null;
  }
  return { value, rest: rest.slice(1) };
}

function readInline(written: string): Read | null {
  const value: Table = Object.create(null) as Table;
  let rest = skip(written);
  while (!rest.startsWith("}")) {
    const [, name, after] = pair.exec(rest) ?? [];
    const read = after === undefined ? null : readValue(after);
    if (read === null || name === undefined) return null;
    value[keysOf(name).join(".")] = read.value;
    rest = skip(read.rest);
    if (rest.startsWith(",")) rest = skip(rest.slice(1));
    else if (!rest.startsWith("}")) return null;
  }
  return { value, rest: rest.slice(1) };
}
