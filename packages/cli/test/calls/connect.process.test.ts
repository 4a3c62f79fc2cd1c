import { chmod, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atTerminal, ready } from "../support/terminal.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const files = {
  "mount-plan.yaml": `${planOf("./one.ts")}    config: { key: "\${API_KEY}" }\n`,
  "one.ts": oneTool({ name: "one", body: "return data(1);" }),
};

/** A project, and the folder of its user's own files. */
async function project(more: Readonly<Record<string, string>> = {}, own = files as Record<string, string>) {
  const made = await workspace({ ...own, ...more, "home/.keep": "" });
  const home = join(made.folder, "home");
  const env = { HOME: home, XDG_STATE_HOME: join(home, "state"), XDG_CONFIG_HOME: join(home, "config") };
  return { ...made, home, env };
}

test("connect shows the entry, and writes it only when it is agreed to", async () => {
  const { here: run, read, env } = await project();

  const shown = await run(["connect", "cursor"], { env });
  await expect(read(".cursor/mcp.json")).rejects.toThrow("ENOENT");
  const written = await run(["connect", "cursor", "--yes"], { env });
  const list = JSON.parse(await read(".cursor/mcp.json")) as { mcpServers: { toolmount: unknown } };

  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain("nothing is written");
  expect(written).toMatchObject({ code: 0 });
  expect(list.mcpServers.toolmount).toMatchObject({
    command: "npx",
    args: ["toolmount", "serve", "${workspaceFolder}/mount-plan.yaml", "--stdio"],
    env: { API_KEY: "${env:API_KEY}" },
  });
});

test("comments and other servers stay, and --remove leaves the file as it was", async () => {
  const before = `{
  // my servers
  "servers": {
    "other": { "command": "other" }, // keep this
  },
}
`;
  const { here: run, read, env } = await project({ ".vscode/mcp.json": before });

  await run(["connect", "vscode", "--yes"], { env });
  const between = await read(".vscode/mcp.json");
  const again = await run(["connect", "vscode", "--yes"], { env });
  await run(["connect", "vscode", "--yes", "--remove"], { env });
  const after = await read(".vscode/mcp.json");

  expect(between).toContain("// my servers");
  expect(between).toContain("// keep this");
  expect(between).toContain('"type": "stdio"');
  expect(again.stdout).toContain("as it should be");
  expect(after.replaceAll(/\s+/g, " ")).toBe(before.replaceAll(/\s+/g, " "));
});

test("a file that is not JSON is left alone, and said so", async () => {
  const { here: run, read, env } = await project({ ".mcp.json": "{ not json" });

  const ended = await run(["connect", "claude-code", "--yes"], { env });

  expect(ended).toMatchObject({ code: 2 });
  expect(ended.stderr).toContain(".mcp.json:1:3 is not JSON");
  expect(await read(".mcp.json")).toBe("{ not json");
});

test("variables that a client cannot refer to are named", async () => {
  const { here: run, env } = await project();

  const ended = await run(["connect", "claude-desktop", "--yes", "--json"], { env });

  expect(ended.json()).toMatchObject({ written: true, missing: ["API_KEY"] });
});

const secret = "sk-live-0123456789";
const orders = `{
  // servers of the team
  "mcpServers": {
    "orders": { "command": "orders-server", "args": ["--all"], "env": { "API_TOKEN": "${secret}" } }, // the old one
    "other": {"command":"other"}
  }
}
`;

/** A project whose list of Cursor was imported. */
async function imported() {
  const made = await project({ ".cursor/mcp.json": orders }, {});
  const { env } = made;
  const run = (...words: string[]) => made.here(words, { env });
  expect((await run("import", ".cursor/mcp.json")).code).toBe(0);
  await made.write(
    "mount-plan.yaml",
    (await made.read("mount-plan.yaml")).replace(/ {2}- module: other[^]*$/, ""),
  );
  return { ...made, run, list: () => made.read(".cursor/mcp.json") };
}

interface List {
  readonly mcpServers: Readonly<Record<string, unknown>>;
}

test("after import and connect the client reaches the plan's servers through the plan alone, and has no secret of them", async () => {
  const { run, list } = await imported();
  const { code, stdout } = await run("connect", "cursor", "--yes");

  expect(code).toBe(0);
  expect(Object.keys((JSON.parse((await list()).replaceAll(/ \/\/.*$/gm, "")) as List).mcpServers)).toEqual([
    "other",
    "toolmount",
  ]);
  expect(await list()).not.toContain(secret);
  expect(await list()).toContain("// servers of the team");
  expect(stdout).toContain("left the file, because the plan has it: orders; --remove puts it back");
  expect(stdout).toContain("set API_TOKEN in the environment of cursor: its value leaves the file");
});

test("--remove puts the file back byte for byte, and nothing is stored after it", async () => {
  const { run, list, home } = await imported();
  await run("connect", "cursor", "--yes");
  await run("connect", "cursor", "--yes");
  const stored = join(home, "state/toolmount/moved-servers");
  const [name = ""] = await readdir(stored);
  const mode = async (path: string) => (await stat(path)).mode & 0o777;
  const modes = [await mode(stored), await mode(join(stored, name))];
  const removed = await run("connect", "cursor", "--remove", "--yes");

  expect(modes).toEqual([0o700, 0o600]);
  expect(await list()).toBe(orders);
  expect(removed.stdout).toContain("in the file again: orders");
  expect(await readdir(stored)).toEqual([]);
});

test("--remove puts the servers back into a file that was changed since", async () => {
  const { run, list, write } = await imported();
  await run("connect", "cursor", "--yes");
  await write(".cursor/mcp.json", (await list()).replace('"other"', '"renamed"'));
  await run("connect", "cursor", "--remove", "--yes");

  const { mcpServers } = JSON.parse((await list()).replaceAll(/ \/\/.*$/gm, "")) as List;
  expect(mcpServers).toEqual({
    renamed: { command: "other" },
    orders: { command: "orders-server", args: ["--all"], env: { API_TOKEN: secret } },
  });
});

test("--remove leaves a server alone that you wrote into the file since, and says so", async () => {
  const { run, list, write } = await imported();
  await run("connect", "cursor", "--yes");
  await write(
    ".cursor/mcp.json",
    (await list()).replace('"other": {', '"orders": {"command":"mine"}, "other": {'),
  );
  const removed = await run("connect", "cursor", "--remove", "--yes");

  const { mcpServers } = JSON.parse((await list()).replaceAll(/ \/\/.*$/gm, "")) as List;
  expect(mcpServers).toEqual({ orders: { command: "mine" }, other: { command: "other" } });
  expect(removed.stdout).toContain("orders stays in the file as you wrote it since");
  expect(removed.stdout).not.toContain("in the file again");
});

test("a server that is added later and is in the plan leaves the file with the next connect, and --remove puts both back", async () => {
  const { run, list, write } = await imported();
  await run("connect", "cursor", "--yes");
  await write(
    ".cursor/mcp.json",
    (await list()).replace('"other": {', '"late": {"command":"late-server"}, "other": {'),
  );
  await run("import", ".cursor/mcp.json");
  await run("connect", "cursor", "--yes");
  const between = await list();
  await run("connect", "cursor", "--remove", "--yes");

  expect(between).not.toContain("late-server");
  expect(await list()).toContain("late-server");
  expect(await list()).toContain("orders-server");
  expect(await list()).not.toContain('"toolmount"');
});

test("a server of the plan under another name leaves the file, too", async () => {
  const { run, list, write } = await imported();
  await write(".cursor/mcp.json", (await list()).replace('"orders"', '"shop"'));
  await run("connect", "cursor", "--yes");

  expect(await list()).not.toContain("orders-server");
});

test("a file that did not exist is gone after --remove", async () => {
  const { here: run, read, env } = await project();
  await run(["connect", "claude-code", "--yes"], { env });
  const entry = (JSON.parse(await read(".mcp.json")) as List).mcpServers["toolmount"];
  await run(["connect", "claude-code", "--yes", "--remove"], { env });

  expect(entry).toMatchObject({ command: "npx", args: ["toolmount", "serve", "mount-plan.yaml", "--stdio"] });
  await expect(read(".mcp.json")).rejects.toThrow("ENOENT");
});

test("the file of a client keeps its mode", async () => {
  const { run, folder } = await imported();
  const file = join(folder, ".cursor/mcp.json");
  await chmod(file, 0o600);
  await run("connect", "cursor", "--yes");

  expect((await stat(file)).mode & 0o777).toBe(0o600);
});

test("the entry is shown in lines, at a terminal and elsewhere, with the servers that leave the file", async () => {
  const { run, folder, env, list } = await imported();
  const shown = (await run("connect", "cursor")).stdout;
  const terminal = atTerminal(["connect", "cursor"], { cwd: folder, env });
  const asked = await terminal.until(ready);
  terminal.press("n");

  expect(await terminal.ended).toBe(0);
  expect(await list()).toBe(orders);
  for (const text of [shown, asked]) {
    expect(text).toMatch(/\{\n {2}"command": "npx",\n {2}"args": \[\n {4}"toolmount",\n {4}"serve",/);
    expect(text).not.toContain(String.raw`\n`);
    expect(text).toContain("leaves the file, because the plan has it: orders");
  }
});

test("doctor names the ways around the plan that are left", async () => {
  const { run, home, write } = await imported();
  const before = await run("doctor");
  await run("connect", "cursor", "--yes");
  await write("home/.claude.json", JSON.stringify({ mcpServers: { orders: { command: "orders-server" } } }));
  const { stdout } = await run("doctor");
  const connected = await run("connect", "claude-code", "--yes");

  expect(before.stdout).toMatch(
    /cursor reaches orders directly, beside the plan: .*\.cursor\/mcp\.json; toolmount connect cursor moves it/,
  );
  expect(stdout).not.toContain("cursor reaches orders");
  const left = `claude-code reaches orders directly, beside the plan: ${join(home, ".claude.json")}`;
  expect(stdout).toContain(`${left}; remove it there`);
  expect(connected.stdout).toContain(left);
});

test("what a client writes into its file while a person reads stays, and other servers end the command", async () => {
  const { here, read, write, env } = await project({ ".mcp.json": '{ "mcpServers": {} }' });
  const press = (text: string) => [
    { at: "Write this to", keys: "y", meanwhile: () => write(".mcp.json", text) },
  ];
  const kept = '{ "mcpServers": {}, "lastOpened": 5 }';
  const other = '{ "mcpServers": { "new": { "command": "x" } } }';

  expect(await here(["connect", "claude-code"], { env, presses: press(other) })).toMatchObject({ code: 2 });
  expect(await read(".mcp.json")).toBe(other);
  await write(".mcp.json", '{ "mcpServers": {} }');
  expect(await here(["connect", "claude-code"], { env, presses: press(kept) })).toMatchObject({ code: 0 });
  expect(JSON.parse(await read(".mcp.json"))).toMatchObject({
    lastOpened: 5,
    mcpServers: { toolmount: { command: "npx" } },
  });
});
