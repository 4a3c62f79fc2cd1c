import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect } from "vitest";

const root = join(import.meta.dirname, "../../../..");

/** A JSON schema, as far as a table of keys reads it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly then?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly $ref?: string;
}

/** The formatter gives tables their width. */
export function plain(text: string): string {
  return text
    .replaceAll(/ {2,}/g, " ")
    .replaceAll(/-{3,}/g, "---")
    .replaceAll(/\n{2,}/g, "\n\n");
}

/** A table of the keys of an object, each with its description and its default. */
export function tableOf({ properties = {} }: Schema, more: readonly [string, Schema][] = []): string {
  const rows = [...Object.entries(properties), ...more].map(([key, schema]) => [
    key.includes(" ") ? key : `\`${key}\``,
    typeOf(schema),
    [
      schema.description ?? "",
      schema.default === undefined ? "" : `Default \`${JSON.stringify(schema.default)}\`.`,
    ]
      .filter(Boolean)
      .join(" "),
  ]);
  const table = [["key", "is", ""], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => (row[column] ?? "").length)));
  const line = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(Math.max(3, width))).join(" | ")} |`;
  return [line(table[0]!), rule, ...table.slice(1).map(line)].join("\n");
}

function typeOf(schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(", ");
  if (schema.$ref !== undefined) return schema.$ref.endsWith("/entry") ? "an entry" : "any value";
  if (schema.anyOf !== undefined)
    return [...new Set(schema.anyOf.map(typeOf).filter((type) => type !== ""))].join(" or ");
  const types = [schema.type ?? "any value"].flat().filter((type) => type !== "null");
  if (types.includes("array"))
    return `list of ${schema.items === undefined ? "any value" : typeOf(schema.items)}`;
  return types
    .map((type) => ({ string: "text", object: "map", integer: "whole number" })[type] ?? type)
    .join(" or ");
}

/**
 * Compares the tables of a page with the schemas that they are made from. Each stands between `<!-- keys: <name> -->` and
 * `<!-- end -->`; with TOOLMOUNT_WRITE=1 they are written again.
 */
export async function expectTables(page: string, schemas: Readonly<Record<string, Schema>>): Promise<void> {
  const file = join(root, page);
  const text = await readFile(file, "utf8");
  let whole = text;
  for (const [name, schema] of Object.entries(schemas)) {
    const begin = `<!-- keys: ${name} -->\n`;
    expect(text, page).toContain(begin);
    const from = whole.indexOf(begin) + begin.length;
    whole = `${whole.slice(0, from)}\n${tableOf(schema)}\n\n${whole.slice(whole.indexOf("<!-- end -->", from))}`;
  }
  if (process.env["TOOLMOUNT_WRITE"] === "1") await writeFile(file, whole);

  expect(plain(await readFile(file, "utf8"))).toBe(plain(whole));
}

/** The schema without some of its keys. */
export function without({ properties = {}, ...schema }: Schema, keys: readonly string[]): Schema {
  const kept = Object.entries(properties).filter(([key]) => !keys.includes(key));
  return { ...schema, properties: Object.fromEntries(kept) };
}
