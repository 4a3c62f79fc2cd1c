import { silentLogger, type ToolDefinition } from "@toolmount/core";
import { z } from "zod";
import { expect, test } from "vitest";
import { openHost } from "../../src/index.ts";

const makeTool = (name: string, timeout?: number): ToolDefinition => ({
  name,
  description: "Does nothing. Use in tests.",
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  schema: z.strictObject({}),
  timeout,
  execute: () => ({ data: name }),
});
const exported = { a: makeTool("read_note"), b: makeTool("write_note", 60_000), c: makeTool("drop_note") };

async function open(entry: object, plan: object = {}) {
  return openHost(
    { ...plan, tools: [{ module: "notes", ...entry }] },
    { logger: silentLogger, extensions: { notes: exported } },
  );
}

test.each<[object, string[]]>([
  [{}, ["drop_note", "read_note", "write_note"]],
  [{ tools: { include: ["read_note"] } }, ["read_note"]],
  [{ tools: { include: [] } }, []],
  [{ tools: { exclude: ["drop_note"] } }, ["read_note", "write_note"]],
  [{ tools: { include: ["read_note", "drop_note"], exclude: ["drop_note"] } }, ["read_note"]],
  [{ prefix: "my_" }, ["my_drop_note", "my_read_note", "my_write_note"]],
  [{ prefix: "my_", tools: { include: ["read_note"] } }, ["my_read_note"]],
  [{ tools: { read_note: { as: "look" } } }, ["drop_note", "look", "write_note"]],
  [{ prefix: "my_", tools: { read_note: { as: "look" } } }, ["look", "my_drop_note", "my_write_note"]],
])("an entry that says %j offers %j", async (entry, names) => {
  const host = await open(entry);

  expect(host.tools().map(({ name }) => name)).toEqual(names);
  await host.close();
});

test("C40: a renamed tool answers under its new name, and the old one is gone", async () => {
  const host = await open({ tools: { read_note: { as: "look", description: "Looks." } } });

  expect(await host.call({ name: "look" })).toMatchObject({
    tool: "look",
    result: { tool: "look", data: "read_note" },
  });
  expect(await host.call({ name: "read_note" })).toMatchObject({ status: "not_found" });
  expect(host.tools().find(({ name }) => name === "look")).toMatchObject({
    declaredName: "read_note",
    description: "Looks.",
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
  });
  await host.close();
});

test("C26: of limits, the tool's in the plan comes before the entry's, the entry's before the plan's, and these before the tool's own", async () => {
  const timeouts = async (entry: object, plan?: object) => {
    const host = await open(entry, plan);
    const seen = Object.fromEntries(host.tools().map(({ name, timeoutMs }) => [name, timeoutMs]));
    await host.close();
    return seen;
  };
  const plan = { policy: { limits: { timeout: 1 } } };

  expect(await timeouts({})).toMatchObject({ read_note: 15_000, write_note: 60_000 });
  expect(await timeouts({}, plan)).toMatchObject({ read_note: 1, write_note: 1 });
  expect(
    await timeouts({ limits: { timeout: 2 }, tools: { write_note: { limits: { timeout: 3 } } } }, plan),
  ).toMatchObject({
    read_note: 2,
    write_note: 3,
  });
});

test.each<[object, string]>([
  [{ tools: { include: ["raed_note"] } }, "tools[0].tools.include[0]"],
  [{ tools: { exclude: ["read_note", "dorp_note"] } }, "tools[0].tools.exclude[1]"],
  [{ tools: { reed_note: { as: "x" } } }, "tools[0].tools.reed_note"],
])(
  "an entry that says %j of a tool that its module does not have is refused, with a near name",
  async (entry, path) => {
    await expect(open(entry)).rejects.toMatchObject({
      details: {
        problems: [
          { code: "PLAN_VALUE_INVALID", path, message: expect.stringContaining("did you mean") as string },
        ],
      },
    });
  },
);

test("C4: override: true replaces another module's tool", async () => {
  const extensions = {
    first: { tool: makeTool("same") },
    second: { tool: { ...makeTool("same"), description: "The second." } },
  };
  const plan = { tools: [{ module: "first" }, { module: "second", override: true }] };
  const host = await openHost(plan, { logger: silentLogger, extensions });

  expect(host.tools()).toMatchObject([{ name: "same", description: "The second." }]);
  await host.close();
});
const tagged = {
  a: { ...makeTool("read_note"), category: "read" as const, tags: ["notes"] },
  b: { ...makeTool("read_page"), category: "read" as const, tags: ["web"] },
  c: { ...makeTool("write_note"), category: "write" as const, tags: ["notes"] },
};

test.each<[object, string[]]>([
  [{ include: ["read_*"] }, ["read_note", "read_page"]],
  [{ include: ["*_not?"] }, ["read_note", "write_note"]],
  [{ exclude: ["*"] }, []],
  [{ include: ["category: read"] }, ["read_note", "read_page"]],
  [{ exclude: ["category: read"] }, ["write_note"]],
  [{ include: ["tag: notes"], exclude: ["category: write"] }, ["read_note"]],
  [{ include: ["write_note", "tag: web"] }, ["read_page", "write_note"]],
])("a choice of %j by name, glob, category and tag offers %j", async (tools, names) => {
  await using host = await openHost(
    { tools: [{ module: "notes", tools }] },
    { logger: silentLogger, extensions: { notes: tagged } },
  );

  expect(host.tools().map(({ name }) => name)).toEqual(names);
});

test.each<[unknown, string]>([
  ["red_*", 'fits "red_*"'],
  ["category: delete", 'has the category "delete"'],
  ["tag: nots", 'has the tag "nots"'],
])("a choice by %j that means no tool is refused", async (item, problem) => {
  await expect(
    openHost(
      { tools: [{ module: "notes", tools: { include: ["read_note", item] } }] },
      { logger: silentLogger, extensions: { notes: tagged } },
    ),
  ).rejects.toMatchObject({
    details: {
      problems: [{ path: "tools[0].tools.include[1]", message: expect.stringContaining(problem) as string }],
    },
  });
});
