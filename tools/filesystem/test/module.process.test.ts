import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost, type EventData, type Host } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-filesystem";
import { expect, onTestFinished, test } from "vitest";
import { scratch } from "./scratch.ts";

async function mounted(
  workingDir: string,
  settings: object = {},
  capabilities: Record<string, unknown> = {},
) {
  const host = createHost({ approver: () => ({ decision: "approve" }) });
  onTestFinished(() => void host.close());
  host.coordinator.registerCapability("session.working_dir", workingDir);
  for (const [name, value] of Object.entries(capabilities)) host.coordinator.registerCapability(name, value);
  await mount(host.coordinator, config.parse(settings));
  return host;
}

function call(host: Host, name: string, params: object, sessionId = "s-1") {
  return host.call({ name, arguments: { ...params } }, { sessionId });
}

test("AMP-21: through a host a file is written, read, edited, moved and deleted", async () => {
  const folder = scratch();
  const host = await mounted(folder.base);
  const steps = [
    ["create_directory", { path: "notes" }],
    ["write_file", { file_path: "notes/a.md", content: "one\ntwo\n" }],
    ["read_file", { file_path: "notes/a.md" }],
    ["edit_file", { file_path: "notes/a.md", old_string: "two", new_string: "2" }],
    ["multi_edit_file", { file_path: "notes/a.md", edits: [{ old_string: "2", new_string: "3" }] }],
    ["list_directory", { path: "notes" }],
    ["move_file", { source: "notes/a.md", destination: "notes/b.md" }],
    ["delete_file", { path: "notes", recursive: true }],
  ] as const;

  for (const [name, params] of steps) expect(await call(host, name, params)).toMatchObject({ status: "ok" });
});

test("deleting is denied where no one can be asked", async () => {
  const folder = scratch({ "a.txt": "a" });
  const host = createHost();
  await mount(host.coordinator, config.parse({ working_dir: folder.base }));

  expect(await call(host, "delete_file", { path: "a.txt" })).toMatchObject({ status: "denied" });
  expect(folder.text("a.txt")).toBe("a");
});

test("the session remembers what it read: a change by another session is noticed", async () => {
  const folder = scratch({ "a.txt": "one" });
  const host = await mounted(folder.base);
  const edit = { file_path: "a.txt", old_string: "one", new_string: "two" };
  await call(host, "read_file", { file_path: "a.txt" }, "s-1");
  await call(host, "write_file", { file_path: "a.txt", content: "one more" }, "s-2");

  expect(await call(host, "edit_file", edit, "s-1")).toMatchObject({ result: { code: "FILE_CHANGED" } });
  expect(await call(host, "edit_file", edit, "s-2")).toMatchObject({ status: "ok" });
});

test("artifact events tell path and bytes, and which call it was", async () => {
  const folder = scratch({ "a.txt": "12345" });
  const host = await mounted(folder.base);
  const seen: [string, EventData][] = [];
  for (const event of ["artifact:read", "artifact:write", "artifact:move", "artifact:delete"])
    host.coordinator.hooks.observe(event, (name, data) => void seen.push([name, data]));
  await call(host, "read_file", { file_path: "a.txt" });
  await call(host, "write_file", { file_path: "b.txt", content: "12" });
  await call(host, "edit_file", { file_path: "b.txt", old_string: "12", new_string: "123" });
  await call(host, "move_file", { source: "b.txt", destination: "c.txt" });
  await call(host, "delete_file", { path: "c.txt" });
  await host.close();

  const common = { session_id: "s-1", run_id: expect.any(String) };
  expect(seen).toMatchObject([
    ["artifact:read", { path: folder.path("a.txt"), bytes: 5, tool_name: "read_file", ...common }],
    ["artifact:write", { path: folder.path("b.txt"), bytes: 2, tool_name: "write_file", ...common }],
    ["artifact:write", { path: folder.path("b.txt"), bytes: 3, tool_name: "edit_file", ...common }],
    ["artifact:move", { path: folder.path("b.txt"), to: folder.path("c.txt"), ...common }],
    ["artifact:delete", { path: folder.path("c.txt"), entries: 1, ...common }],
  ]);
});

test("AMP-16: the module contributes the events it emits", async () => {
  const host = await mounted(scratch().base);

  expect((await host.coordinator.collectContributions("observability.events")).flat()).toEqual([
    "artifact:read",
    "artifact:write",
    "artifact:move",
    "artifact:delete",
  ]);
});

test("paths of a plan are relative to its folder, and so are calls without a working_dir", async () => {
  const folder = scratch({ "in/a.txt": "a", "other/b.txt": "b" });
  const host = await mounted(folder.base, { working_dir: "in", allowed_read_paths: ["other"] });

  expect(await call(host, "read_file", { file_path: "../other/b.txt" })).toMatchObject({ status: "ok" });
  expect(await call(host, "read_file", { file_path: "a.txt" })).toMatchObject({
    result: { code: "ACCESS_DENIED" },
  });
});

test("what the host protects is not written, whatever the plan allows", async () => {
  const folder = scratch({ "plan.yaml": "version: 1" });
  const host = await mounted(folder.base, {}, { "session.protected_paths": [folder.path("plan.yaml")] });

  for (const [name, params] of [
    ["write_file", { file_path: "plan.yaml", content: "tools: []" }],
    ["edit_file", { file_path: "plan.yaml", old_string: "1", new_string: "2" }],
    ["move_file", { source: "plan.yaml", destination: "other.yaml" }],
    ["delete_file", { path: "plan.yaml" }],
  ] as const)
    expect(await call(host, name, params)).toMatchObject({ result: { code: "ACCESS_DENIED" } });
  expect(await call(host, "read_file", { file_path: "plan.yaml" })).toMatchObject({ status: "ok" });
});

test("what the host protects only later, as after a reload, is not written from then on", async () => {
  const folder = scratch({ "base.yaml": "version: 1" });
  const host = await mounted(folder.base);
  const params = { file_path: "base.yaml", content: "tools: []" };
  const undo = host.coordinator.registerCapability("session.protected_paths", [folder.path("base.yaml")]);

  expect(await call(host, "write_file", params)).toMatchObject({ result: { code: "ACCESS_DENIED" } });
  undo();
  expect(await call(host, "write_file", params)).toMatchObject({ status: "ok" });
});

test("a mention resolver that is there later is used", async () => {
  const folder = scratch({ "docs/a.md": "hello" });
  const host = await mounted(folder.base);
  const resolver = { resolve: (mention: string) => mention.replace("@docs:", "docs/") };
  host.coordinator.registerCapability("mention_resolver", resolver);

  expect(await call(host, "read_file", { file_path: "@docs:a.md" })).toMatchObject({ status: "ok" });
});

test("without a working_dir and without a plan's folder the module does not mount", async () => {
  await expect(mount(createHost().coordinator, config.parse({}))).rejects.toMatchObject({
    code: "CONFIG_INVALID",
  });
});

test.each([{ root: "." }, { working_dir: "" }, { max_read_bytes: 0 }, { allowed_read_paths: "." }])(
  "the setting %o is refused",
  (settings) => {
    expect(config.safeParse(settings).success).toBe(false);
  },
);

test("AMP-7: the manifest lists what the module mounts", async () => {
  const text = await readFile(join(import.meta.dirname, "../package.json"), "utf8");
  const { toolmount } = JSON.parse(text) as { toolmount: { config: object; tools: { name: string }[] } };
  const host = await mounted(scratch().base);
  const offered = new Map(host.tools().map((tool) => [tool.name, tool as object]));

  expect([...offered.keys()].toSorted()).toEqual(toolmount.tools.map(({ name }) => name).toSorted());
  for (const tool of toolmount.tools) expect(offered.get(tool.name)).toMatchObject(tool);
  expect(toolmount.config).toEqual(config["~standard"].jsonSchema.input({ target: "draft-2020-12" }));
});

test("APTIX-62, APTIX-63, APTIX-64, APTIX-66, APTIX-67, APTIX-72: each usage text has the layout, and names every argument", async () => {
  const host = await mounted(scratch().base);

  for (const { name, usage = "", inputSchema } of host.tools()) {
    expect(usage.startsWith(`${name}: `)).toBe(true);
    const headings = ["Primary purpose", "Rules", "Arguments", "Error codes", "Good usage", "Bad usage"];
    expect(usage.split("\n").filter((line) => headings.includes(line))).toEqual(headings);
    for (const argument of Object.keys(inputSchema["properties"] ?? {}))
      expect(usage).toContain(`- ${argument} (`);
  }
});

test.each([
  "mount-plan.yaml",
  "sub/mount-plan.yaml",
  "MOUNT-PLAN.yaml",
  "plan.production.yaml",
  "plan.production.lock.json",
  ".toolmount/modules/evil/index.js",
  "sub/.toolmount/x",
  "node_modules/@toolmount/tool-bash/index.js",
  "tool.mjs",
])("a model cannot write %s, which the next command would read or import", async (file) => {
  const folder = scratch({ "plan.yaml": "tools: [{ module: ./tool.mjs }]", "tool.mjs": "" });
  const untouchable = [
    folder.path("plan.yaml"),
    folder.path("tool.mjs"),
    folder.path("node_modules"),
    folder.path(".toolmount"),
    "**/mount-plan.yaml",
    "**/plan.*.yaml",
    "**/plan.*.json",
    "**/.toolmount",
  ];
  const host = await mounted(folder.base, {}, { "session.protected_paths": untouchable });
  await call(host, "write_file", { file_path: "fine.txt", content: "x" });

  for (const outcome of [
    await call(host, "write_file", { file_path: file, content: "x" }),
    await call(host, "move_file", { source: "fine.txt", destination: file }),
    await call(host, "create_directory", { path: file }),
  ])
    expect(outcome).toMatchObject({ status: "failed", result: { code: "ACCESS_DENIED" } });
  expect(folder.text("fine.txt")).toBe("x");
});
