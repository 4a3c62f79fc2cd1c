import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { createHost } from "@toolmount/core";
import { expect, test } from "vitest";
import { fromBfclFunction, mount } from "../../src/index.ts";

const echo = {
  name: "echo",
  description: "Writes a text.",
  parameters: {
    type: "dict",
    properties: {
      content: { type: "string", description: "The text." },
      file_name: { type: "string", default: "None" },
      size: { type: "float", default: 1.5 },
    },
    required: ["content"],
  },
  response: { type: "dict", properties: {} },
};

test("a function of the leaderboard is called with the types of JSON Schema, and its losses are listed", async () => {
  const { definition, losses } = fromBfclFunction({ ...echo, excluded: true }, (given) => ({ ...given }));
  const host = createHost();
  await mount(host.coordinator, {});
  host.coordinator.mount("tools", definition);
  const call = async (given: object) => (await host.call({ name: "echo", arguments: { ...given } })).result;

  expect((await call({ content: "a" })).data).toEqual({ content: "a", size: 1.5 });
  expect((await call({ content: "a", size: "big" })).code).toBe("INVALID_ARGUMENTS");
  expect((await call({ content: "a", more: 1 })).code).toBe("INVALID_ARGUMENTS");
  expect(losses).toEqual([
    "parameters: the schema: dict is written object",
    "parameters: properties.size: float is written number",
    'parameters.properties.file_name: the default "None" is left out: no argument is given',
    "response: it does not describe errors, so no output schema is made of it",
    "excluded: a definition has no place for it",
  ]);
  await host.close();
});

const folder = join(import.meta.dirname, "../../../../../shared/fixtures/bfcl-multi-turn");
const read = (name: string) => JSON.parse(readFileSync(join(folder, name), "utf8")) as never;

test.skipIf(!existsSync(folder))(
  "all 128 functions of the multi-turn set import as the shared JSON Schemas (skipped where they are absent)",
  () => {
    const documents: readonly { class: string; function: Record<string, unknown> }[] = read("functions.json");
    const tools: readonly { class: string; name: string; parameters: object }[] = read("tools.json");
    const imported = documents.map((document) => fromBfclFunction(document.function, () => null));
    const shapes = imported.map(({ definition, schema }, at) => [
      documents[at]!.class,
      definition.name,
      withoutText(schema),
    ]);
    const wanted = tools.map((tool) => [tool.class, tool.name, withoutText(tool.parameters)]);
    const byName = ([one]: unknown[], [other]: unknown[]) => (String(one) < String(other) ? -1 : 1);
    expect(shapes.map(sortable).toSorted(byName)).toEqual(wanted.map(sortable).toSorted(byName));
    expect(imported.flatMap(({ losses }) => losses).filter((loss) => loss.includes('"None"'))).toHaveLength(
      9,
    );
    expect(imported.every(({ losses }) => losses.some((loss) => loss.startsWith("response:")))).toBe(true);
  },
);

const sortable = ([first, second, shape]: unknown[]) => [`${String(first)}.${String(second)}`, shape];

/** A schema without its texts, and without the member that both state in different places. */
function withoutText(schema: unknown): unknown {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) =>
      (key === "description" && typeof value === "string") || key === "additionalProperties"
        ? undefined
        : value,
    ),
  ) as unknown;
}
