import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost, type Approver, type Host } from "@toolmount/core";
import { config, mount } from "@toolmount/tool-bash";
import { expect, onTestFinished, test } from "vitest";
import { ownSeconds, processesWith, scratch } from "./world.ts";

const time = ownSeconds();

async function mounted(settings: object = {}, approver?: Approver | Approver["ask"]) {
  const folder = scratch();
  // On a busy machine, ending processes takes longer than a host waits by itself.
  const limits = { cleanupMs: 600_000 };
  const host = createHost({ limits, ...(approver !== undefined && { approver }) });
  onTestFinished(() => void host.close());
  host.coordinator.registerCapability("session.working_dir", folder);
  await mount(host.coordinator, config.parse(settings));
  return { host, folder };
}

function bash(host: Host, command: string, params = {}) {
  return host.call({ name: "bash", arguments: { command, ...params } }, { sessionId: "s" });
}

test("AMP-21, AMP-27: through a host, a command on the allow list runs unasked, in the plan's folder", async () => {
  const { host, folder } = await mounted({ allowed_commands: ["pwd"] });

  expect(await bash(host, "pwd")).toMatchObject({
    status: "ok",
    result: { data: { stdout: `${folder}\n` } },
  });
});

test("FORGE-18: what the allow list does not cover waits for a person, and does not run without one", async () => {
  const { host, folder } = await mounted({ allowed_commands: ["ls *"] });

  for (const command of ["touch ran", "ls; touch ran", "ls > ran", "$x ran"])
    expect(await bash(host, command)).toMatchObject({ status: "denied" });
  expect(existsSync(join(folder, "ran"))).toBe(false);
});

test("FORGE-18: a person is shown the command as it will run, byte for byte", async () => {
  const shown: unknown[] = [];
  const { host, folder } = await mounted({}, (question) => {
    shown.push(question.arguments["command"]);
    return { decision: "approve" };
  });
  const command = "echo 'a  b' > ran";

  expect(await bash(host, command)).toMatchObject({ status: "ok" });
  expect(shown).toEqual([command]);
  expect(await readFile(join(folder, "ran"), "utf8")).toBe("a  b\n");
});

test("what is refused is never a question", async () => {
  const { host } = await mounted({}, () => expect.unreachable("no one is asked"));

  for (const command of ["sudo id", "rm -rf /", "echo 'a", "ls\u200b"])
    expect(await bash(host, command)).toMatchObject({ status: "failed", result: { code: "COMMAND_DENIED" } });
});

test("with require_approval off, only what is not understood is asked about", async () => {
  const asked: unknown[] = [];
  const { host } = await mounted({ require_approval: false }, (question) => {
    asked.push(question.arguments["command"]);
    return { decision: "deny" };
  });
  await bash(host, "touch a && ls");
  await bash(host, "x=ls; $x");

  expect(asked).toEqual(["x=ls; $x"]);
});

test("a call that is cancelled in a host is cancelled, and its processes are gone when the host has closed", async () => {
  const { host } = await mounted({ require_approval: false });
  const caller = new AbortController();
  const running = host.call(
    { name: "bash", arguments: { command: `sleep ${time}` } },
    { abortSignal: caller.signal },
  );
  setImmediate(() => caller.abort());

  expect(await running).toMatchObject({ status: "cancelled", result: { code: "CANCELLED" } });
  await host.close();
  expect(processesWith(time)).toEqual([]);
});

test("AMP-5: when the module goes, its background commands go with it", async () => {
  const { host } = await mounted({ require_approval: false });
  await bash(host, `trap '' TERM; while :; do sleep ${time}; done`, { run_in_background: true });
  await host.close();

  expect(processesWith(time)).toEqual([]);
});

test.each([
  [{ safety_profile: "lenient" }],
  [{ isolation: "docker" }],
  [{ timeout: 0 }],
  [{ timeout: Infinity }],
  [{ allowed_commands: [" "] }],
  [{ env: { "A=B": "x" } }],
  [{ env: { "BASH_FUNC_ls%%": "x" } }],
  [{ allow: ["ls"] }],
])("settings %j are refused", (settings) => {
  expect(config.safeParse(settings).success).toBe(false);
});

test("without a plan's folder the working folder must be absolute", async () => {
  const host = createHost();
  onTestFinished(() => void host.close());

  for (const settings of [{}, { working_dir: "work" }])
    await expect(mount(host.coordinator, config.parse(settings))).rejects.toMatchObject({
      code: "CONFIG_INVALID",
    });
});

test("AMP-7: the manifest lists what the module mounts", async () => {
  const text = await readFile(join(import.meta.dirname, "../package.json"), "utf8");
  const { toolmount } = JSON.parse(text) as { toolmount: { config: object; tools: { name: string }[] } };
  const { host } = await mounted();
  const offered = new Map(host.tools().map((tool) => [tool.name, tool as object]));

  expect([...offered.keys()].toSorted()).toEqual(toolmount.tools.map(({ name }) => name).toSorted());
  for (const tool of toolmount.tools) expect(offered.get(tool.name)).toMatchObject(tool);
  expect(toolmount.config).toEqual(config["~standard"].jsonSchema.input({ target: "draft-2020-12" }));
});

test("APTIX-72: each tool's guidance has its sections", async () => {
  const { host } = await mounted();

  for (const { name, usage = "" } of host.tools()) {
    expect(usage.startsWith(`${name}: `)).toBe(true);
    for (const section of ["Primary purpose", "Rules", "Arguments", "Error codes", "Good usage", "Bad usage"])
      expect(usage).toContain(`\n${section}\n`);
  }
});
