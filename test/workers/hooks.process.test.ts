import { join } from "node:path";
import { expect, test } from "vitest";
import { behind, folderOf, open, problemsOf } from "./world.ts";

/** A tool of the host, whose calls the hooks of other modules decide. */
const echo = `export const echo = {
  name: "echo",
  description: "Repeats a word. Use it in tests. Not for anything else.",
  schema: { type: "object", properties: { word: { type: "string" } }, required: ["word"], additionalProperties: false },
  category: "read", consequenceLevel: "low", requiresConfirmation: false,
  async execute({ word }) { return { data: word }; },
};
`;

/** A module that answers by the word of a call, and has a tool that says what its hooks have seen. */
const guard = `const seen = [];
export function mount(coordinator) {
  coordinator.hooks.gate("tool:pre", async (event, data) => {
    if (data.tool_name !== "echo") return;
    seen.push([event, data.tool_name, data.tool_input.word, process.pid]);
    switch (data.tool_input.word) {
      case "deny": return { action: "deny", reason: "the guard says no" };
      case "modify": return { action: "modify", data: { ...data, tool_input: { word: "changed" } } };
      case "ask": return { action: "ask_user", approvalPrompt: "May it echo?" };
      case "approve": return { action: "ask_user", approvalTimeoutMs: 1, approvalDefault: "allow" };
      case "inject": return { action: "inject_context", contextInjection: "be brief" };
      case "odd": return { action: "allow" };
      case "throw": throw new Error("the guard broke");
      case "exit": return process.exit(3);
      case "wait": return new Promise(() => {});
      case "block": for (;;);
    }
  }, { name: "guard", priority: 5, timeoutMs: 2_000 });
  coordinator.hooks.gate("tool:post", (_, data) => data.tool_result.data === "post"
    ? { action: "modify", data: { tool_result: { ...data.tool_result, data: "replaced" } } } : undefined);
  coordinator.hooks.observe("*", (event, data) => { if (event.startsWith("acme:")) seen.push([event, data.n]); });
  coordinator.mount("tools", {
    name: "seen",
    description: "Says what the guard has seen. Use it in tests. Not for anything else.",
    schema: { type: "object", properties: {}, additionalProperties: false },
    category: "read", consequenceLevel: "low", requiresConfirmation: false,
    async execute() { return { data: { pid: process.pid, seen } }; },
  });
}
`;

const hooks = ["tool:pre", "tool:post", "*"];

async function guarded(border: string, granted: readonly string[] = hooks) {
  const folder = await folderOf({ "echo.mjs": echo, "guard.mjs": guard });
  return {
    version: 1,
    tools: [
      { module: join(folder, "echo.mjs") },
      { module: join(folder, "guard.mjs"), run: behind(border, { hooks: granted }) },
    ],
  };
}

test.each(["permission", "bubblewrap"])(
  "behind %s a granted hook decides calls of other modules: allow, deny, modify, ask, inject",
  async (border) => {
    const host = await open(await guarded(border));
    const call = (word: string) => host.call({ name: "echo", arguments: { word } });

    expect(await call("hello")).toMatchObject({ status: "ok", result: { data: "hello" } });
    expect(await call("deny")).toMatchObject({
      status: "denied",
      result: { error: expect.stringContaining("the guard says no") },
    });
    expect(await call("modify")).toMatchObject({ status: "ok", result: { data: "changed" } });
    expect(await call("post")).toMatchObject({ status: "ok", result: { data: "replaced" } });
    expect(await call("ask")).toMatchObject({ status: "denied", result: { code: "DENIED" } });
    expect(await call("inject")).toMatchObject({ injections: [{ text: "be brief", source: "guard" }] });
    await host.coordinator.hooks.emit("acme:thing", { n: 7, left: () => "out" });

    const { data } = (await host.call({ name: "seen", arguments: {} })).result;
    const { pid, seen } = data as { pid: number; seen: readonly unknown[][] };
    expect(pid).not.toBe(process.pid);
    // Hooks and tools of the module share one process, and its state.
    expect(seen.slice(0, 2)).toEqual([
      ["tool:pre", "echo", "hello", pid],
      ["tool:pre", "echo", "deny", pid],
    ]);
    expect(seen.at(-1)).toEqual(["acme:thing", 7]);
    expect(host.coordinator.hooks.list("tool:pre")["tool:pre"]).toContain("guard");
  },
);

test.each([
  ["odd", "an answer that the contract does not know"],
  ["approve", "an approval in place of a person"],
  ["throw", "an error"],
  ["exit", "the end of its process"],
  ["wait", "no answer in time"],
  ["block", "a loop without end"],
])(
  "a hook behind a border that answers %s (%s) denies the call, and the next one is decided again",
  async (word) => {
    const host = await open(await guarded("permission"));

    expect(await host.call({ name: "echo", arguments: { word } })).toMatchObject({
      status: "denied",
      result: { code: "DENIED", error: expect.stringContaining('gate "guard" could not decide') },
    });
    // A process that is stuck is killed a moment later; then the next one answers.
    const next = async () => (await host.call({ name: "echo", arguments: { word: "deny" } })).result.error;
    await expect.poll(next, { timeout: 60_000 }).toContain("the guard says no");
  },
);

test("a hook that the plan does not allow is refused, and the error says the line that allows it", async () => {
  const [problem] = await problemsOf(await guarded("bubblewrap", ["tool:pre", "tool:post"]));

  expect(problem).toMatchObject({
    code: "MODULE_MOUNT_FAILED",
    message: expect.stringMatching(
      /registers a hook on "\*".*if the plan is to allow that, write run: \{ in: process, hooks: \["\*"\] \}/,
    ),
  });
});

test("a process that forges a hook which the plan does not allow is refused", async () => {
  const report = {
    type: "mounted",
    keepsState: false,
    tools: [],
    hooks: [{ id: 0, kind: "gate", event: "tool:pre" }],
  };
  const folder = await folderOf({
    "forger.mjs": `import { writeSync } from "node:fs";
writeSync(3, ${JSON.stringify(`${JSON.stringify(report)}\n`)});
export function mount() {}
`,
  });
  const plan = { version: 1, tools: [{ module: join(folder, "forger.mjs"), run: behind("bubblewrap") }] };

  expect(await problemsOf(plan)).toEqual([
    expect.objectContaining({
      message: expect.stringContaining('reports "tool:pre", which the plan does not'),
    }),
  ]);
});

test("a hook is refused when it comes after the mount, and one that its module removes does not answer", async () => {
  const folder = await folderOf({
    "echo.mjs": echo,
    "late.mjs": `export function mount(coordinator) {
  const remove = coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "early" }));
  coordinator.hooks.gate("tool:pre", () => ({ action: "deny", reason: "named" }), { name: "named" });
  coordinator.mount("tools", {
    name: "late", description: "Registers late. Use it in tests. Not for anything else.",
    schema: { type: "object", properties: {}, additionalProperties: false },
    category: "read", consequenceLevel: "low", requiresConfirmation: false,
    async execute() {
      try { coordinator.hooks.gate("tool:pre", () => {}); } catch (error) { return { data: error.message }; }
    },
  });
  coordinator.hooks.observe("tool:pre", () => { remove(); coordinator.hooks.unregister("named"); });
}
`,
  });
  const run = behind("permission", { hooks: ["tool:pre"] });
  const host = await open({
    version: 1,
    tools: [{ module: join(folder, "echo.mjs") }, { module: join(folder, "late.mjs"), run }],
  });
  const call = () => host.call({ name: "echo", arguments: { word: "hello" } });
  expect(await call()).toMatchObject({
    status: "denied",
    result: { error: expect.stringContaining("early") },
  });

  await expect.poll(async () => (await call()).status).toBe("ok");
  const { result } = await host.call({ name: "late", arguments: {} });
  expect(result.data).toContain('registers a hook on "tool:pre" after its mount');
});

test("a module of the section hooks can have a border, also one of Amplifier", async () => {
  const folder = await folderOf({
    "echo.mjs": echo,
    "amplifier.mjs": `export const amplifier_module_type = "hook";
export async function mount(coordinator, config) {
  coordinator.hooks.register("tool:pre", async (event, data) => data.tool_input.word === config.word
    ? { action: "deny", reason: "not that word" } : { action: "continue" }, 10, "words");
}
`,
  });
  const run = behind("bubblewrap", { hooks: ["tool:pre"] });
  const host = await open({
    version: 1,
    tools: [{ module: join(folder, "echo.mjs") }],
    hooks: [{ module: join(folder, "amplifier.mjs"), config: { word: "bad" }, run }],
  });
  const call = (word: string) => host.call({ name: "echo", arguments: { word } });

  expect(await call("good")).toMatchObject({ status: "ok" });
  expect(await call("bad")).toMatchObject({
    status: "denied",
    result: { error: expect.stringContaining("not that word") },
  });
});

test("a module behind a border gets its own events once, and those of others too", async () => {
  const folder = await folderOf({
    "counts.mjs": `const seen = [];
export function mount(coordinator) {
  coordinator.registerContributor("observability.events", "counts", () => ["acme:own"]);
  for (const event of ["acme:own", "*"])
    coordinator.hooks.observe(event, (name, { n }) => { if (name.startsWith("acme:")) seen.push([event, name, n]); });
  coordinator.mount("tools", {
    name: "emit", description: "Emits. Use it in tests. Not for anything else.",
    schema: { type: "object", properties: {}, additionalProperties: false },
    category: "read", consequenceLevel: "low", requiresConfirmation: false,
    async execute() { await coordinator.hooks.emit("acme:own", { n: 1 }); return { data: seen }; },
  });
}
`,
  });
  const run = behind("permission", { hooks: ["acme:own", "*"] });
  const host = await open({ version: 1, tools: [{ module: join(folder, "counts.mjs"), run }] });
  await host.call({ name: "emit", arguments: {} });
  await host.coordinator.hooks.emit("acme:other", { n: 2 });

  const own = [
    ["acme:own", "acme:own", 1],
    ["*", "acme:own", 1],
  ];
  const { result } = await host.call({ name: "emit", arguments: {} });
  expect(result.data).toEqual([...own, ["*", "acme:other", 2], ...own]);
});
