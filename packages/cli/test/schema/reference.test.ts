import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { plain, tableOf, type Schema } from "../support/keys-table.ts";
import { root } from "../support/workspace.ts";

const page = join(root, "docs/reference/keys.md");

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
    section("One tool: rename it, describe it, limit it", tool),
    section("What `arguments` says of one argument", argument),
    section("`limits`", entry.properties?.["limits"] ?? {}),
    section("A mode of `modes.catalog`", mode),
    section("`policy`", schema.properties?.["policy"] ?? {}),
  ].join("");
}

function section(title: string, schema: Schema, more: readonly [string, Schema][] = []): string {
  return `## ${title}\n\n${tableOf(schema, more)}\n\n`;
}
