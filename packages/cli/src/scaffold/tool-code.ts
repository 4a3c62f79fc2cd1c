import type { ToolNames } from "./names.ts";

/** What a package tells of itself under `toolmount`. */
export interface Manifest {
  readonly type: "tool";
  readonly mounts: readonly string[];
  readonly static: boolean;
  readonly config: object;
  readonly provides: readonly string[];
  readonly needs: readonly string[];
  readonly tools: readonly object[];
}

/** For the model: what, when, when not. */
export function description({ words }: ToolNames): string {
  return `Looks up an entry about ${words} by its name, among those that the plan lists. Use when the user asks about ${words}; not to add or change entries.`;
}

/** For a catalogue. */
export function summary({ words }: ToolNames): string {
  return `Looks up an entry about ${words}.`;
}

/** The tool itself. */
export function toolFile(names: ToolNames): string {
  const { type, tool } = names;
  return `import { data, defineTool, failure } from "@toolmount/core";
import { z } from "zod";
import { usage } from "./usage.ts";

/** What a plan may set for this module. */
export const config = z.strictObject({
  entries: z.record(z.string(), z.string()).default({}).describe("What may be looked up, by name"),
});

export type Settings = z.output<typeof config>;

const schema = z.strictObject({
  name: z
    .string()
    .regex(/\\S/, "name must not be blank")
    .describe("Which entry to look up, as the plan names it"),
});

const outputSchema = z.strictObject({ name: z.string(), value: z.string() });

${docstring(names)}
export function create${type}({ entries }: Settings) {
  const known = new Map(Object.entries(entries));
  return defineTool({
    name: "${tool}",
    description:
      "${description(names)}",
    summary: "${summary(names)}",
    usage,
    schema,
    outputSchema,
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    idempotent: true,
    version: "0.1.0",
    execute: ({ name }) => {
      const value = known.get(name.trim());
      if (value !== undefined) return data({ name: name.trim(), value });
      const names = [...known.keys()].join(", ");
      return failure(\`there is no entry of that name; there are: \${names || "none"}\`, { code: "NOT_FOUND" });
    },
  });
}
`;
}

function docstring({ words }: ToolNames): string {
  return `/** Looks up what the plan lists about ${words}. Replace it by what your tool does. */`;
}

/** The long guidance for the model, in the layout that models and people know. */
export function usageFile(names: ToolNames): string {
  const { tool, words } = names;
  return `/** The long guidance for \`${tool}\`. */
export const usage = \`${tool}: looks up an entry about ${words}

Primary purpose
Gives the entry of one name, among those that the plan lists.

Rules
- Use it when the user asks about ${words} and the name is known.
- Do not use it to add or change entries, nor with a guessed name: ask for the name first.
- It changes nothing and may be called as often as needed; the same name gives the same entry.

Arguments
- name (string, required): which entry, as the plan names it. Space around it is left out.

The answer has name and value.

Error codes
- NOT_FOUND: there is no entry of that name; the message lists the names.
- INVALID_ARGUMENTS: the name is missing or blank.

Good usage
- {"name":"Vienna"}

Bad usage
- {"name":""}: there is nothing to look up.
- {"name":"anywhere"} because the name is unknown: ask instead.\`;
`;
}

/** Tests that need nothing but Node. */
export function testFile(names: ToolNames): string {
  const { id, type, tool } = names;
  return `import assert from "node:assert/strict";
import { test } from "node:test";
import { createHost } from "@toolmount/core";
import { config, create${type}, mount } from "../src/index.ts";

const settings = config.parse({ entries: { Vienna: "sunny" } });
const ${camel(type)} = create${type}(settings);

test("an entry is found by its name", async () => {
  const { data } = await ${camel(type)}.execute({ name: " Vienna " });
  assert.deepEqual(data, { name: "Vienna", value: "sunny" });
});

test("a name that is not there is a failure that lists the names", async () => {
  const { error, code } = await ${camel(type)}.execute({ name: "Atlantis" });
  assert.deepEqual([error, code], ["there is no entry of that name; there are: Vienna", "NOT_FOUND"]);
});

test("a blank name is refused", async () => {
  const { code } = await ${camel(type)}.execute({ name: " " });
  assert.equal(code, "INVALID_ARGUMENTS");
});

test("a call that was cancelled before does nothing", async () => {
  const { code } = await ${camel(type)}.execute({ name: "Vienna" }, { abortSignal: AbortSignal.abort() });
  assert.equal(code, "CANCELLED");
});

test("the module mounts ${id}, and a host calls it", async () => {
  const host = createHost();
  await mount(host.coordinator, settings);
  const { status, result } = await host.call({ name: "${tool}", arguments: '{"name":"Vienna"}' });
  assert.deepEqual([status, result.data], ["ok", { name: "Vienna", value: "sunny" }]);
});
`;
}

function camel(type: string): string {
  return `${type[0]!.toLowerCase()}${type.slice(1)}`;
}
