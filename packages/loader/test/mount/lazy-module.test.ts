import { dirname } from "node:path";
import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { openHost, type OpenHostOptions } from "../../src/index.ts";
import { installed, workspace } from "../workspace.ts";

const source = (body = "") => `
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";
globalThis.woken = [...(globalThis.woken ?? []), import.meta.url];
${body}
export const config = z.strictObject({ greeting: z.string().default("Hello") });
export function mount(coordinator, { greeting }) {
  coordinator.registerCleanup(() => { globalThis.tidied = true; });
  coordinator.mount("tools", defineTool({
    name: "greet", description: "Greets. Use in tests.",
    schema: z.strictObject({ name: z.string().min(2) }),
    category: "read", consequenceLevel: "low",
    requiresConfirmation: ({ name }) => name === "root",
    execute: ({ name }, { abortSignal }) => data(greeting + " " + name + " " + abortSignal.aborted),
  }));
}`;

const tool = {
  name: "greet",
  description: "Greets. Use in tests.",
  inputSchema: {
    type: "object",
    properties: { name: { type: "string", minLength: 2 } },
    required: ["name"],
    additionalProperties: false,
  },
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: "dynamic",
};
const manifest = {
  type: "tool",
  mounts: ["tools"],
  static: true,
  provides: [],
  needs: [],
  config: { type: "object", properties: { greeting: { type: "string" } }, additionalProperties: false },
  tools: [tool],
};

async function open(files: Record<string, string>, plan: string, options: OpenHostOptions = {}) {
  const { path, folder } = await workspace({ ...files, "plan.yaml": plan });
  const host = await openHost(path("plan.yaml"), { logger: silentLogger, ...options });
  const woken = () =>
    ((globalThis as { woken?: string[] }).woken ?? []).filter((url) => url.includes(encodeURI(folder)))
      .length;
  return { host, woken };
}

const plan = (config = "{}") =>
  `tools: [{ module: "@acme/greet", wake: call, prefix: my_, config: ${config} }]`;

test("a module with wake: call is listed, and the first call of one of its tools imports it", async () => {
  const { host, woken } = await open(
    installed("@acme/greet", source(), { toolmount: manifest }),
    plan("{ greeting: Hi }"),
  );

  expect(host.tools()).toMatchObject([
    { name: "my_greet", requiresConfirmation: "dynamic", inputSchema: tool.inputSchema },
  ]);
  expect(woken()).toBe(0);
  const calls = await Promise.all(
    ["Ada", "Bob"].map((name) => host.call({ name: "my_greet", arguments: { name } })),
  );
  expect(calls.map(({ result }) => result)).toMatchObject([
    { data: "Hi Ada false" },
    { data: "Hi Bob false" },
  ]);
  expect(woken()).toBe(1);
  await host.close();
  expect((globalThis as { tidied?: boolean }).tidied).toBe(true);
});

test("the status of a module with wake: call is sleeping until a call has imported it, also over a reload", async () => {
  const { host } = await open(installed("@acme/greet", source(), { toolmount: manifest }), plan());
  const states = () => host.status().entries.map(({ id, state }) => ({ id, state }));

  expect(states()).toEqual([{ id: "@acme/greet", state: "sleeping" }]);
  expect(host.bootTree()).toMatchObject([{ state: "sleeping" }]);
  await host.call({ name: "my_greet", arguments: { name: "Ada" } });
  expect(states()).toEqual([{ id: "@acme/greet", state: "mounted" }]);
  await host.reload();
  expect(states()).toEqual([{ id: "@acme/greet", state: "mounted" }]);
  await host.close();
});

test("a module that sleeps over a reload still sees the plan's folder when a call imports it", async () => {
  const body = "const folder = (coordinator) => coordinator.getCapability('session.working_dir');";
  const withFolder = source(body).replace("data(greeting", "data(folder(coordinator) + greeting");
  const { host } = await open(installed("@acme/greet", withFolder, { toolmount: manifest }), plan());
  await host.reload();
  await host.reload();

  const { result } = await host.call({ name: "my_greet", arguments: { name: "Ada" } });

  expect(result).toMatchObject({ data: `${dirname(host.plan.file!)}Hello Ada false` });
  await host.close();
});

test("a module with wake: call that cannot be imported stays sleeping", async () => {
  const { host } = await open(
    installed("@acme/greet", source('throw new Error("no");'), { toolmount: manifest }),
    plan(),
  );

  await host.call({ name: "my_greet", arguments: { name: "Ada" } });

  expect(host.status().entries).toMatchObject([{ state: "sleeping" }]);
  await host.close();
});

test("the real tool's schema and confirmation decide, not those of the manifest", async () => {
  const { host } = await open(installed("@acme/greet", source(), { toolmount: manifest }), plan(), {
    approver: () => ({ decision: "deny", reason: "not root" }),
  });

  expect(await host.call({ name: "my_greet", arguments: { name: "A" } })).toMatchObject({
    status: "invalid",
  });
  expect(await host.call({ name: "my_greet", arguments: { name: "root" } })).toMatchObject({
    status: "denied",
  });
  expect(await host.call({ name: "my_greet", arguments: { name: "Ada" } })).toMatchObject({ status: "ok" });
  await host.close();
});

test("an invalid config is reported when the plan opens, without importing the module", async () => {
  await expect(
    open(installed("@acme/greet", source(), { toolmount: manifest }), plan("{ greting: Hi }")),
  ).rejects.toMatchObject({
    details: {
      problems: [{ code: "CONFIG_INVALID", message: expect.stringContaining("greting") as string }],
    },
  });
});

test.each<[string, object, string]>([
  ["lists a tool that the module does not have", { tools: [{ ...tool, name: "wave" }] }, "has no tool"],
  ["classifies a tool differently", { tools: [{ ...tool, consequenceLevel: "high" }] }, "differently"],
])("a module whose manifest %s does not run", async (_, wrong, message) => {
  const { host } = await open(
    installed("@acme/greet", source(), { toolmount: { ...manifest, ...wrong } }),
    plan(),
  );
  const [listed] = host.tools();
  const outcome = await host.call({ name: listed!.name, arguments: { name: "Ada" } });

  expect(outcome).toMatchObject({
    status: "invalid",
    result: { error: expect.stringContaining(message) as string },
  });
  await host.close();
});

test("the outcome says that the module of a tool could not be imported", async () => {
  const { host } = await open(
    installed("@acme/greet", source('throw new Error("out of luck");'), { toolmount: manifest }),
    plan(),
  );

  expect(await host.call({ name: "my_greet", arguments: { name: "Ada" } })).toMatchObject({
    result: { error: expect.stringContaining("could not be imported") as string },
  });
  await host.close();
});

test.each<[string, object]>([
  ["has hooks", { mounts: ["tools", "policies"] }],
  ["has other tools for other configs", { static: false }],
  ["brings a capability", { provides: ["x"] }],
])("a module that %s is imported when the plan opens, also with wake: call", async (_, more) => {
  const { host, woken } = await open(
    installed("@acme/greet", source(), { toolmount: { ...manifest, ...more } }),
    plan(),
  );

  expect(woken()).toBe(1);
  await host.close();
});

test.each<[string, string, string]>([
  ["false", "false", "ok"],
  ["true", "false", "invalid"],
  ["() => false", "false", "invalid"],
  ["() => false", '"dynamic"', "ok"],
  ["false", '"dynamic"', "invalid"],
])(
  "a module that asks by %s, and whose manifest says %s, answers its first call with %s",
  async (asks, listed, status) => {
    const body = source().replace('({ name }) => name === "root"', asks);
    const requiresConfirmation: unknown = JSON.parse(listed);
    const { host } = await open(
      installed("@acme/greet", body, {
        toolmount: { ...manifest, tools: [{ ...tool, requiresConfirmation }] },
      }),
      plan(),
      { approver: () => ({ decision: "approve" }) },
    );

    expect(await host.call({ name: "my_greet", arguments: { name: "Ada" } })).toMatchObject({ status });
    await host.close();
  },
);
