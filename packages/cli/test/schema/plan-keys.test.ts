import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Schema } from "../support/keys-table.ts";
import { root } from "../support/workspace.ts";

/** Most keys that a plan may have. This number only goes down. */
const mostKeys = 185;

/** Keys that stand in several places, and why each place sets another thing. */
const scopes: readonly { readonly keys: RegExp; readonly because: string }[] = [
  {
    keys: /^(?:policy|tools\[\]|tools\[\]\.tools\.\*)\.limits\b/,
    because: "limits hold for all calls, for an entry, or for one tool",
  },
  {
    keys: /^(?:policy|agent|agent\.agents\.\*)\.budgets\./,
    because: "a session has budgets of calls, and an agent and its sub-agents of requests",
  },
  { keys: /(?:^|\.)description$/, because: "each text describes another thing" },
  { keys: /\bmatch\.|\]\.reason$/, because: "rules and flows look at tools in the same words" },
  { keys: /\.(?:model|instructions)$/, because: "a sub-agent has its own" },
];

test("a plan has no more keys than it had", async () => {
  const keys = await listKeys();

  expect(keys.size).toBeLessThanOrEqual(mostKeys);
});

test("no two keys of a plan set one thing", async () => {
  const single = [...(await listKeys())].filter(([path]) => !scopes.some(({ keys }) => keys.test(path)));
  const places = Map.groupBy(single, ([path, schema]) => `${nameOf(path)} ${JSON.stringify(schema)}`);
  const twice = [...places.values()]
    .filter((group) => group.length > 1)
    .map((group) => group.map(([path]) => path));

  expect(twice).toEqual([]);
});

test("every reason to have a key in several places is needed", async () => {
  const paths = [...(await listKeys()).keys()];
  const unused = scopes.filter(({ keys }) => paths.filter((path) => keys.test(path)).length < 2);

  expect(unused).toEqual([]);
});

/** The keys of a plan by path, such as `tools[].prefix`. A definition that several places share is counted once. */
async function listKeys(): Promise<Map<string, Schema>> {
  const text = await readFile(join(root, "packages/cli/schema/mount-plan.schema.json"), "utf8");
  const whole = JSON.parse(text) as Schema & { readonly definitions: Readonly<Record<string, Schema>> };
  const keys = new Map<string, Schema>();
  const shared = new Set<string>();
  const walk = (schema: Schema, path: string): void => {
    const { $ref: ref, items, additionalProperties: others, anyOf = [], oneOf = [] } = schema;
    if (ref !== undefined && !shared.has(ref)) {
      shared.add(ref);
      walk(whole.definitions[ref.replace("#/definitions/", "")]!, path);
    }
    for (const [key, member] of Object.entries(schema.properties ?? {})) {
      const at = path === "" ? key : `${path}.${key}`;
      if (!keys.has(at)) keys.set(at, member);
      walk(member, at);
    }
    if (items !== undefined) walk(items, `${path}[]`);
    if (typeof others === "object") walk(others, `${path}.*`);
    for (const part of [...anyOf, ...oneOf]) walk(part, path);
  };
  walk(whole, "");
  return keys;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
