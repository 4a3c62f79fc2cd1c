import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../support/workspace.ts";

const page = join(root, "docs/mount-plans.md");

interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly $ref?: string;
}

test("the reference of plans is what their schema says: TOOLMOUNT_WRITE=1 writes it again", async () => {
  const schema = JSON.parse(
    await readFile(join(root, "packages/cli/schema/mount-plan.schema.json"), "utf8"),
  ) as Schema & {
    definitions: { entry: Schema };
  };
  const text = await readFile(page, "utf8");
  const [before, rest = ""] = text.split(/(?<=<!-- made from[^\n]*-->\n)/);
  const whole = `${before}\n${referenceOf(schema)}${rest.slice(rest.indexOf("<!-- end -->"))}`;
  if (process.env["TOOLMOUNT_WRITE"] === "1") await writeFile(page, whole);

  expect(plain(await readFile(page, "utf8"))).toBe(plain(whole));
});

/** The formatter gives tables their width. */
function plain(text: string): string {
  return text
    .replaceAll(/ {2,}/g, " ")
    .replaceAll(/-{3,}/g, "---")
    .replaceAll(/\n{2,}/g, "\n\n");
}

function referenceOf(schema: Schema & { definitions: { entry: Schema } }): string {
  const { entry } = schema.definitions;
  const tools = entry.properties?.["tools"] ?? {};
  const tool = tools.additionalProperties as Schema;
  const argument = tool.properties?.["arguments"]?.additionalProperties as Schema;
  const mode = schema.properties?.["modes"]?.properties?.["catalog"]?.items ?? {};
  return [
    section("A plan", schema),
    section("An entry of `tools` or `hooks`", entry),
    section("`tools` of an entry", tools, [["a tool's own name", tool]]),
    section("What `tools` says of one tool", tool),
    section("What `arguments` says of one argument", argument),
    section("`limits`", entry.properties?.["limits"] ?? {}),
    section("A mode of `modes.catalog`", mode),
    section("`policy`", schema.properties?.["policy"] ?? {}),
  ].join("");
}

function section(title: string, { properties = {} }: Schema, more: readonly [string, Schema][] = []): string {
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
  return `### ${title}\n\n${[line(table[0]!), rule, ...table.slice(1).map(line)].join("\n")}\n\n`;
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
