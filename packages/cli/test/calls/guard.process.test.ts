import { spawn } from "node:child_process";
import { once } from "node:events";
import { watch } from "node:fs";
import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { command, workspace } from "../support/workspace.ts";

const server = `
import { createInterface } from "node:readline";
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const tool = (name, annotations) => ({ name, description: name + "s.", inputSchema: { type: "object" }, annotations });
for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize")
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } } });
  else if (method === "tools/list")
    send({ id, result: { tools: [tool("look", { readOnlyHint: true }), tool("wipe", { destructiveHint: true })] } });
  else if (id !== undefined) send({ id, error: { code: -32601, message: "no" } });
}
`;

const list = (...servers: readonly string[]) => {
  const entries = servers.map((name) => [name, { command: "node", args: [`${name}.mjs`] }]);
  return `{\n  // mine\n  "mcpServers": ${JSON.stringify(Object.fromEntries(entries))}\n}\n`;
};

async function project(text = list("files"), more: Readonly<Record<string, string>> = {}) {
  const made = await workspace({ "files.mjs": server, ".cursor/mcp.json": text, "home/.keep": "", ...more });
  const home = join(made.folder, "home");
  return { ...made, env: { HOME: home, XDG_STATE_HOME: join(home, "state") } };
}

const own = ["files.mjs", ".cursor", "home"];

test("guard shows what becomes of calls, and writes nothing before it is agreed to", async () => {
  const { run, read, folder, env } = await project();
  const before = (await readdir(folder)).toSorted();
  const { code, stdout } = await run(["guard", "cursor"], { env });

  expect(stdout).toContain("files  2 tools: 1 runs, 1 asks");
  expect(stdout).toContain("nothing is written; --yes writes it");
  expect(code).toBe(1);
  expect((await readdir(folder)).toSorted()).toEqual(before);
  expect(await read(".cursor/mcp.json")).toBe(list("files"));
});

test("guard puts a plan with its lock before the servers of a client, and --remove puts them back", async () => {
  const { run, read, folder, env } = await project();
  const { code, stdout } = await run(["guard", "cursor", "--yes"], { env });
  const entry = await read(".cursor/mcp.json");
  const listed = await run(["list", "--json"], { env });

  expect(code, stdout).toBe(0);
  expect(entry).toContain('"toolmount"');
  expect(entry).not.toContain("files.mjs");
  expect(listed.json()).toMatchObject({
    tools: [
      { name: "files_look", calls: "runs" },
      { name: "files_wipe", calls: "asks" },
    ],
  });
  const again = await run(["guard", "cursor", "--yes"], { env });
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("a plan must not mount itself")]);
  expect((await readdir(folder)).filter((name) => name.includes("draft"))).toEqual([]);

  const asked = await run(["guard", "cursor", "--remove"], { env });
  expect(asked.stdout).toContain("put back: files\nnothing is written; --yes writes it");
  expect(await read(".cursor/mcp.json")).toBe(entry);
  const removed = await run(["guard", "cursor", "--remove", "--yes"], { env });
  expect(removed.stdout).toContain("in the file again: files");
  expect(await read(".cursor/mcp.json")).toBe(list("files"));
});

test("a server that does not answer is named with its last words, and what a plan had stays", async () => {
  const plan = 'version: 1\n# mine\npolicy: { deny: ["files_wipe"] }\ntools: []\n';
  const { run, read, env } = await project(list("files", "gone"), { "mount-plan.yaml": plan });
  const { code, stdout } = await run(["guard", "cursor", "--yes"], { env });

  expect(stdout).toMatch(/gone did not answer, so its tools are denied.*Cannot find module/);
  expect(stdout).toContain("files  2 tools: 1 runs, 1 denied");
  expect(code).toBe(1);
  expect(await read("mount-plan.yaml")).toContain("# mine\npolicy:");
});

test.each([
  ["cursor", "home/.cursor/mcp.json", (text: string) => text],
  ["claude-code", "home/.claude.json", (text: string) => text.replace("{", '{\n  "numStartups": 3,')],
])(
  "without a list of the project, guard puts the plan into the user's own list of %s, and takes it out again",
  async (client, file, edit) => {
    const { run, read, folder, env } = await project(list("files"), { [file]: "" });
    const text = edit(list("files").replace("files.mjs", join(folder, "files.mjs")));
    await writeFile(join(folder, file), text);
    await rm(join(folder, ".cursor"), { recursive: true });

    const { code, stdout } = await run(["guard", client, "--yes"], { env });

    expect(code, stdout).toBe(0);
    expect(stdout).toContain("files  2 tools: 1 runs, 1 asks");
    const guarded = await read(file);
    expect(guarded).toContain('"toolmount"');
    expect(guarded).toContain(join(folder, "mount-plan.yaml"));
    expect(guarded).not.toContain("files.mjs");
    const removed = await run(["guard", client, "--remove", "--yes"], { env });
    expect(removed.stdout).toContain("in the file again: files");
    expect(await read(file)).toBe(text);
  },
);

const program = '["node", "files.mjs"]';

test.each([
  [
    "codex",
    "home/.codex/config.toml",
    '# mine\nmodel = "m"\n\n[mcp_servers.files]\ncommand = "node"\nargs = ["files.mjs"]\n',
    /\[mcp_servers\.toolmount\]\ncommand = .*\nargs = \[.*"serve", ".*mount-plan\.yaml", "--stdio" \]\n$/,
  ],
  [
    "gemini",
    ".gemini/settings.json",
    list("files"),
    /"toolmount": \{\s+"command": "npx",\s+"args": \[\s+"toolmount",\s+"serve",\s+"mount-plan.yaml"/,
  ],
  [
    "opencode",
    "opencode.json",
    `{\n  // mine\n  "mcp": { "files": { "type": "local", "command": ${program} } }\n}\n`,
    /"toolmount": \{\s+"type": "local",\s+"command": \[\s+"npx",\s+"toolmount",\s+"serve",\s+"mount-plan.yaml"/,
  ],
])("guard %s writes %s in its own form, and --remove restores it", async (client, file, text, entry) => {
  const { run, read, env } = await project(list("other"), { [file]: text });
  const guarded = await run(["guard", client, "--yes"], { env });
  const written = await read(file);
  const removed = await run(["guard", client, "--remove", "--yes"], { env });

  expect(guarded, guarded.stderr).toMatchObject({ code: 0 });
  expect(guarded.stdout).toContain("files  2 tools: 1 runs, 1 asks");
  expect(written).toMatch(entry);
  expect(written).toContain("mine");
  expect(written).not.toContain("files.mjs");
  expect(removed, removed.stderr).toMatchObject({ code: 0 });
  expect(await read(file)).toBe(text);
});

test("servers go back into a TOML file that was changed since", async () => {
  const file = "home/.codex/config.toml";
  const servers = '[mcp_servers.files]\ncommand = "node"\nargs = [ "files.mjs" ]\n';
  const { run, read, write, env } = await project(list("other"), { [file]: servers });
  await run(["guard", "codex", "--yes"], { env });
  await write(file, `model = "m"\n\n${await read(file)}`);
  await run(["guard", "codex", "--remove", "--yes"], { env });

  expect(await read(file)).toBe(`model = "m"\n\n${servers}`);
});

test.each([
  ["cursor", '{ "mcpServers": {} }', "has no server that a plan could mount"],
  ["cursor", "{", "the list is not JSON: close brace expected in line 1, column 2"],
  ["windsurf", list("files"), "windsurf has no list of servers at"],
])("guard %s with the list %j is refused, and nothing is written", async (client, text, problem) => {
  const { run, read, folder, env } = await project(text);
  const { code, stderr } = await run(["guard", client, "--yes"], { env });

  expect(code).not.toBe(0);
  expect(stderr).toContain(problem);
  expect(await read(".cursor/mcp.json")).toBe(text);
  expect((await readdir(folder)).filter((name) => !own.includes(name)).join()).not.toContain("mount-plan");
});

test("killed at any change of a file, the client's file is as it was, or as it should be", async () => {
  const ends = new Set<string>();
  for (let at = 1; at <= 12; at++) {
    const { folder, read, env } = await project();
    const child = spawn(process.execPath, [...command, "guard", "cursor", "--yes"], {
      cwd: folder,
      env: { ...process.env, ...env },
      stdio: "ignore",
    });
    let changes = 0;
    const count = () => void (++changes === at && child.kill("SIGKILL"));
    const watches = [folder, join(folder, ".cursor")].map((each) => watch(each, count));
    await once(child, "exit");
    for (const each of watches) each.close();
    const text = await read(".cursor/mcp.json");
    const isWhole = text.includes('"toolmount"') && !text.includes("files.mjs");
    expect(text === list("files") || isWhole, text).toBe(true);
    if (isWhole) expect(JSON.parse(await read("mount-plan.lock.json"))).toHaveProperty("tools.files_look");
    ends.add(isWhole ? "whole" : "as it was");
  }
  expect(ends).toContain("as it was");
}, 120_000);
