import type { HookResult } from "@toolmount/core";
import { expect, test } from "vitest";
import { createAmplifierHooks } from "../../src/amplifier/hooks.ts";
import { createAmplifierSessions } from "../../src/amplifier/sessions.ts";
import { hostWithAdapters } from "../support/world.ts";

const look = { name: "look", description: "Looks.", input_schema: { type: "object" }, execute: () => 1 };

async function mounted(members: object) {
  const { host, lines } = await hostWithAdapters();
  const tool = Object.defineProperties({ ...look }, Object.getOwnPropertyDescriptors(members));
  host.coordinator.mount("tools", tool);
  return { host, lines, tool: host.tools()[0]! };
}

const throwing = {
  get: () => {
    throw new Error("no");
  },
};

test.each<[string, object, string, string]>([
  ["no name", { name: undefined }, "tool_name", "its name is missing"],
  ["a blank name", { name: " " }, "tool_name", "its name is missing"],
  ["no execute", { execute: 1 }, "tool_execute", "it has no execute"],
  ["a schema that is a text", { input_schema: "text" }, "tool_input_schema", "its schema is not an object"],
  [
    "a name that throws",
    Object.defineProperty({}, "name", { ...throwing, enumerable: true }),
    "tool_name",
    "reading its name throws",
  ],
  [
    "a description that throws",
    Object.defineProperty({}, "description", { ...throwing, enumerable: true }),
    "tool_description",
    "reading its description throws",
  ],
  [
    "a schema that throws",
    Object.defineProperty({}, "input_schema", { ...throwing, enumerable: true }),
    "tool_input_schema",
    "reading its schema throws",
  ],
])("a tool of Amplifier with %s is refused", async (_, members, rule, problem) => {
  await expect(mounted(members)).rejects.toMatchObject({
    code: "TOOL_INVALID",
    details: { rule, problem },
  });
});

test("a tool of Amplifier without a description is offered by its name, with a warning", async () => {
  const { tool, lines } = await mounted({ description: " " });

  expect(tool).toMatchObject({ description: "look", origin: "amplifier" });
  expect(lines).toContainEqual(expect.objectContaining({ level: "warn", fields: { tool: "look" } }));
  expect((await mounted({ summary: "In short." })).tool.summary).toBe("In short.");
});

test.each<[string, unknown, string, string]>([
  ["an error without words", new TypeError(""), "TypeError", "TypeError"],
  ["a text", "no disk", "no disk", "string"],
  ["an object", { secret: 1 }, "object", "object"],
  [
    "an error with a stack in its words",
    new Error("no disk\n    at open (/srv/app.js:1:1)"),
    "no disk",
    "Error",
  ],
  [
    "an error with a path of the host's packages",
    new Error("cannot read file:///srv/node_modules/x/y.js now"),
    "cannot read [path] now",
    "Error",
  ],
])("what a tool throws, %s, is said without the host's own facts", async (_, thrown, message, type) => {
  const execute = () => {
    throw thrown;
  };
  const { host } = await mounted({ execute });

  expect((await host.call({ name: "look", arguments: {} })).result).toMatchObject({
    error: message,
    code: "TOOL_FAILED",
    details: { output: null, error: { message, type } },
  });
});

/** What a handler of Amplifier's registry answers to the host, which gave it a result of `old`. */
async function answered(answer: (data: Readonly<Record<string, unknown>>) => unknown) {
  const { host } = await hostWithAdapters();
  let registered: ((event: string, data: object) => unknown) | undefined;
  const hooks = {
    ...host.coordinator.hooks,
    register: (_: string, handler: typeof registered) => ((registered = handler), () => undefined),
  };
  createAmplifierHooks({ ...host.coordinator, hooks } as never, createAmplifierSessions(), false).register(
    "tool:post",
    (_, data) => answer(data),
  );
  const data = { tool_name: "look", tool_result: { tool: "look", data: "old" } };
  return (await registered!("tool:post", data)) as HookResult | undefined;
}

const replaced = async (answer: (data: Readonly<Record<string, unknown>>) => object) =>
  (await answered((data) => ({ action: "modify", data: { ...data, ...answer(data) } })))?.data?.[
    "tool_result"
  ];

test("a hook of Amplifier replaces a result by its own name for it, unless it replaced ours", async () => {
  expect(await replaced(() => ({ result: { success: true, output: "new" } }))).toMatchObject({ data: "new" });
  expect(
    await replaced(() => ({ result: { success: false, output: null, error: { message: "no" } } })),
  ).toMatchObject({ error: "no" });
  expect(await replaced(() => ({ result: "plain" }))).toEqual({ data: "plain" });
  expect(await replaced(() => ({ result: "plain", tool_result: { data: "ours" } }))).toEqual({
    data: "ours",
  });
  expect(await replaced(() => ({}))).toMatchObject({ data: "old" });
  expect(await replaced(() => ({ result: undefined }))).toMatchObject({ data: "old" });
  expect((await answered(() => undefined))?.data).toBeUndefined();
  const kept = await answered((data) => ({ action: "modify", data: { result: data["result"], other: 1 } }));
  expect(kept?.data).not.toHaveProperty("tool_result");
});
