import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Schema } from "../support/keys-table.ts";
import { root } from "../support/workspace.ts";

/**
 * Most keys of a plan: by their paths, as settings, and as words. A setting of several places counts once. They only go down. A person
 * learns the words; most paths beyond them are limits, budgets and matches, which stand where they hold.
 */
const most = { paths: 176, settings: 148, words: 120, top: 13 };

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

/** Words that name several settings, and what they mean in each place. A plan gets no more of them. */
const shared: Readonly<Record<string, string>> = {
  arguments: "of a tool: their overrides, their patterns, their values",
  audience: "who sees results or content",
  budgets: "how much calls, agents and sub-agents may spend",
  concurrent: "calls at the same time, of one tool or of a session",
  config: "what a module is given",
  description: "a text for people or models",
  export: "the member of a package that is used",
  id: "the name of an entry",
  match: "what a line is about",
  maxIterations: "requests of one turn, of an agent or a sub-agent",
  mode: "the mode of an agent; of the audit, how it is written",
  module: "a package, or a path",
  ms: "milliseconds that may be spent",
  output: "tokens of an answer; of a call that runs first, where its result goes",
  results: "what tools answered: their trust, and whether the audit has them",
  timeout: "milliseconds that a call, a hook or a request may take",
  tool: "the name of a tool",
  tools: "entries; tools that are chosen by name",
};

test("a plan has no more keys than it had", async () => {
  const keys = await listKeys();
  const settings = new Set([...keys].map(([path, schema]) => `${wordOf(path)} ${JSON.stringify(schema)}`));
  const words = new Set([...keys.keys()].map(wordOf));
  const top = [...keys.keys()].filter((path) => !path.includes("."));
  const counted = { paths: keys.size, settings: settings.size, words: words.size, top: top.length };

  expect(counted).toEqual(most);
});

test("no two keys of a plan set one thing", async () => {
  const single = [...(await listKeys())].filter(([path]) => !scopes.some(({ keys }) => keys.test(path)));
  const places = Map.groupBy(single, ([path, schema]) => `${wordOf(path)} ${JSON.stringify(schema)}`);
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

test("a word that names several settings says the same of each", async () => {
  const keys = Map.groupBy(await listKeys(), ([path]) => wordOf(path));
  const several = [...keys].filter(
    ([, group]) => new Set(group.map(([, schema]) => JSON.stringify(schema))).size > 1,
  );

  expect(several.map(([word]) => word).toSorted()).toEqual(Object.keys(shared));
});

/** The keys of a plan by path, such as `tools[].prefix`, with those of hooks that are commands. `$schema` is for editors, and what is given to a module is its own. */
async function listKeys(): Promise<Map<string, Schema>> {
  const text = await readFile(join(root, "packages/cli/schema/mount-plan.schema.json"), "utf8");
  const whole = JSON.parse(text) as Schema & { readonly definitions: Readonly<Record<string, Schema>> };
  const keys = new Map<string, Schema>();
  const walk = (schema: Schema, path: string, within: readonly string[]): void => {
    const { $ref: ref, items, additionalProperties: others, anyOf = [], oneOf = [] } = schema;
    if (ref !== undefined && !within.includes(ref))
      walk(whole.definitions[ref.replace("#/definitions/", "")]!, path, [...within, ref]);
    for (const [key, member] of Object.entries(schema.properties ?? {})) {
      const at = path === "" ? key : `${path}.${key}`;
      if (!keys.has(at) && key !== "$schema") keys.set(at, member);
      if (key !== "config") walk(member, at, within);
    }
    if (items !== undefined) walk(items, `${path}[]`, within);
    if (typeof others === "object") walk(others, `${path}.*`, within);
    const commands = path === "hooks[]" && schema.then !== undefined ? [schema.then] : [];
    for (const part of [...anyOf, ...oneOf, ...commands]) walk(part, path, within);
  };
  walk(whole, "", []);
  return keys;
}

function wordOf(path: string): string {
  return path.slice(path.lastIndexOf(".") + 1);
}
