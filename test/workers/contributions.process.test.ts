import { join } from "node:path";
import { expect, test } from "vitest";
import { behind, folderOf, open, problemsOf } from "./world.ts";

/** The module that the Amplifier document shows: it announces its events, and mounts its tool under a name of the plan. */
const documented = `export async function mount(coordinator, config) {
  coordinator.registerContributor("observability.events", "tool-my-tool", () => [
    "my_tool:started", "my_tool:completed", "session:end", ${JSON.stringify("x".repeat(300))},
  ]);
  coordinator.mount("tools", {
    name: "my_tool",
    description: "Does it. Use it in tests. Not for anything else.",
    schema: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
    category: "read", consequenceLevel: "low", requiresConfirmation: false,
    async execute({ what }) {
      await coordinator.hooks.emit("my_tool:started", { what });
      await coordinator.hooks.emit("my_tool:secret", { what });
      await coordinator.hooks.emit("session:end", { what });
      await coordinator.hooks.emit("my_tool:completed", { what });
      return { data: what };
    },
  }, { name: "my-tool" });
}
`;

const planOf = (file: string, run: object) => ({ version: 1, tools: [{ module: file, run }] });

test.each(["permission", "bubblewrap"])(
  "behind %s a module announces its events, emits those, and mounts its tool under another name",
  async (border) => {
    const folder = await folderOf({ "my-tool.mjs": documented });
    const host = await open(planOf(join(folder, "my-tool.mjs"), behind(border)));
    const seen: string[] = [];
    host.coordinator.hooks.observe("*", (event) => void seen.push(event));

    expect(host.tools()).toMatchObject([{ name: "my_tool", aliases: ["my-tool"] }]);
    expect(await host.coordinator.collectContributions("observability.events")).toContainEqual(
      expect.arrayContaining(["my_tool:started", "my_tool:completed"]),
    );
    expect(await host.call({ name: "my-tool", arguments: { what: "it" } })).toMatchObject({
      status: "ok",
      result: { data: "it" },
    });
    expect(seen.filter((event) => !event.startsWith("tool:"))).toEqual([
      "my_tool:started",
      "my_tool:completed",
    ]);
  },
);

test("the same module has the same tools in the host", async () => {
  const folder = await folderOf({ "my-tool.mjs": documented });
  const file = join(folder, "my-tool.mjs");
  const far = await open(planOf(file, behind("bubblewrap")));
  const inline = await open(planOf(file, { in: "inline" }));

  expect(far.tools()).toEqual(inline.tools());
});

test.each([
  ["a function", `coordinator.registerContributor("acme", "x", () => () => 1);`],
  ["what the host takes as its own", `coordinator.registerContributor("mcp.exposed", "x", () => ({}));`],
])("a contribution of %s cannot cross a border, and the plan says so", async (_title, line) => {
  const folder = await folderOf({ "odd.mjs": `export function mount(coordinator) { ${line} }` });

  expect(await problemsOf(planOf(join(folder, "odd.mjs"), behind("bubblewrap")))).toEqual([
    expect.objectContaining({
      code: "MODULE_MOUNT_FAILED",
      message: expect.stringMatching(/it contributes to ".*": .*; behind a border a module can mount tools/),
    }),
  ]);
});

test("a process that forges a contribution of the host is refused", async () => {
  const forged = { type: "mounted", keepsState: false, tools: [] };
  const contributions = [{ channel: "mcp.exposed", name: "x", value: {} }];
  const text = JSON.stringify({ ...forged, contributions });
  const folder = await folderOf({
    "forger.mjs": `import { writeSync } from "node:fs";
writeSync(3, ${JSON.stringify(`${text}\n`)});
export function mount() {}
`,
  });

  expect(await problemsOf(planOf(join(folder, "forger.mjs"), behind("bubblewrap")))).toEqual([
    expect.objectContaining({ message: expect.stringContaining("its report of its tools is not valid") }),
  ]);
});
