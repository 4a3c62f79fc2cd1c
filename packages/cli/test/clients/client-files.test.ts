import { chmod, mkdir, readFile, stat, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { editClientText, memberAt, parseClientFile, readClientFile } from "../../src/clients/client-file.ts";
import { describeWay, findDirectServers, namesInPlan } from "../../src/clients/direct-servers.ts";
import { desktopFile, mcpClients } from "../../src/clients/mcp-clients.ts";
import { copyFile, digestText, readCopy, removeCopy, writeCopy } from "../../src/clients/moved-servers.ts";
import { workspace } from "../support/workspace.ts";

type PlanServers = Parameters<typeof namesInPlan>[1];

const servers = [
  { id: "orders", settings: { command: "orders-server", args: ["--all"] } },
  { id: "plain", settings: { command: "plain-server" } },
  { id: "far", settings: { url: "https://far.example/mcp" } },
] as unknown as PlanServers;

test.each<[string, unknown, boolean]>([
  ["orders", { command: "other" }, true],
  ["shop", { command: "orders-server", args: ["--all"] }, true],
  ["shop", { command: "orders-server", args: ["--all", "-v"] }, false],
  ["shop", { command: "orders-server" }, false],
  ["shop", { command: "plain-server" }, true],
  ["shop", { command: "plain-server", args: [] }, true],
  ["shop", { command: "plain", args: [] }, false],
  ["shop", { url: "https://far.example/mcp" }, true],
  ["shop", { url: "https://far.example/" }, false],
  ["shop", { url: "https://other.example/mcp", command: "plain-server" }, false],
  ["shop", { url: 1, command: "plain-server" }, true],
  ["shop", { httpUrl: "https://far.example/mcp" }, true],
  ["shop", { type: "local", command: ["orders-server", "--all"] }, true],
  ["shop", { args: [] }, false],
  ["shop", null, false],
  ["shop", "plain-server", false],
])("a server %j of a client, %j, is one of the plan: %j", (name, entry, isOne) => {
  expect(namesInPlan({ [name]: entry }, servers)).toEqual(isOne ? [name] : []);
});

test("a list that is no object names no server", () => {
  for (const list of [null, undefined, 1, "orders"]) expect(namesInPlan(list, servers)).toEqual([]);
});

const cwd = "/work/shop";

test("each client has its files, in the project or of its user, and its own form of an entry", () => {
  const settings = "/home/ada/settings";
  const shell = { cwd, env: { HOME: "/home/ada", XDG_CONFIG_HOME: settings } };
  const facts = mcpClients.map(({ name, key, start, inProject, passOn, ...client }) => ({
    name,
    lists: [client.file(shell), ...client.userFiles(shell).map(({ file }) => file)],
    keys: [[key], ...client.userFiles(shell).flatMap(({ keys }) => keys)].map((path) => path.join(" ")),
    path: inProject?.("a.yaml") ?? null,
    entry: { ...start("npx", ["a"]), ...passOn?.(["KEY"]) },
  }));
  const usual = { command: "npx", args: ["a"] };

  expect(facts).toEqual([
    {
      name: "claude-code",
      lists: ["/work/shop/.mcp.json", "/home/ada/.claude.json"],
      keys: ["mcpServers", "mcpServers", "projects /work/shop mcpServers"],
      path: "a.yaml",
      entry: { ...usual, env: { KEY: "${KEY}" } },
    },
    {
      name: "claude-desktop",
      lists: [desktopFile(shell)],
      keys: ["mcpServers"],
      path: null,
      entry: usual,
    },
    {
      name: "codex",
      lists: ["/work/shop/.codex/config.toml", "/home/ada/.codex/config.toml"],
      keys: ["mcp_servers", "mcp_servers"],
      path: "a.yaml",
      entry: { ...usual, env_vars: ["KEY"] },
    },
    {
      name: "cursor",
      lists: ["/work/shop/.cursor/mcp.json", "/home/ada/.cursor/mcp.json"],
      keys: ["mcpServers", "mcpServers"],
      path: "${workspaceFolder}/a.yaml",
      entry: { ...usual, env: { KEY: "${env:KEY}" } },
    },
    {
      name: "gemini",
      lists: ["/work/shop/.gemini/settings.json", "/home/ada/.gemini/settings.json"],
      keys: ["mcpServers", "mcpServers"],
      path: "a.yaml",
      entry: { ...usual, env: { KEY: "${KEY}" } },
    },
    {
      name: "opencode",
      lists: [
        "/work/shop/opencode.json",
        "/work/shop/opencode.jsonc",
        "/work/shop/.opencode/opencode.json",
        `${settings}/opencode/opencode.json`,
        `${settings}/opencode/opencode.jsonc`,
      ],
      keys: ["mcp", "mcp", "mcp", "mcp", "mcp"],
      path: "a.yaml",
      entry: { type: "local", command: ["npx", "a"], environment: { KEY: "{env:KEY}" } },
    },
    {
      name: "vscode",
      lists: ["/work/shop/.vscode/mcp.json", desktopFile(shell).replace(/Claude.*/, "Code/User/mcp.json")],
      keys: ["servers", "servers"],
      path: "${workspaceFolder}/a.yaml",
      entry: { type: "stdio", ...usual, env: { KEY: "${env:KEY}" } },
    },
    {
      name: "windsurf",
      lists: ["/home/ada/.codeium/windsurf/mcp_config.json"],
      keys: ["mcpServers"],
      path: null,
      entry: { ...usual, env: { KEY: "${env:KEY}" } },
    },
    {
      name: "zed",
      lists: [`${settings}/zed/settings.json`, "/work/shop/.zed/settings.json"],
      keys: ["context_servers", "context_servers"],
      path: null,
      entry: usual,
    },
  ]);
});

test.each<[NodeJS.Platform, Record<string, string>, string]>([
  ["linux", { HOME: "/h" }, "/h/.config/Claude/claude_desktop_config.json"],
  ["linux", { HOME: "/h", XDG_CONFIG_HOME: "/x" }, "/x/Claude/claude_desktop_config.json"],
  ["linux", { USERPROFILE: "/u" }, "/u/.config/Claude/claude_desktop_config.json"],
  ["linux", {}, `${homedir()}/.config/Claude/claude_desktop_config.json`],
  ["darwin", { HOME: "/h" }, "/h/Library/Application Support/Claude/claude_desktop_config.json"],
  ["win32", { HOME: "/h", APPDATA: "/a" }, "/a/Claude/claude_desktop_config.json"],
  ["win32", { HOME: "/h" }, "/h/Claude/claude_desktop_config.json"],
])("on %s with %j the list of Claude Desktop is %s", (platform, env, file) => {
  expect(desktopFile({ env }, platform)).toBe(file);
});

test("what connect took out is stored in the folder of state, by file and entry", () => {
  const path = (env: Record<string, string>) => copyFile("/work/a.json", "toolmount", { env });
  const name = `toolmount/moved-servers/${digestText("/work/a.json\ntoolmount").slice(0, 32)}.json`;

  expect(path({ HOME: "/h" })).toBe(`/h/.local/state/${name}`);
  expect(path({ USERPROFILE: "/u" })).toBe(`/u/.local/state/${name}`);
  expect(path({})).toBe(`${homedir()}/.local/state/${name}`);
  expect(path({ HOME: "/h", LOCALAPPDATA: "/l" })).toBe(`/l/${name}`);
  expect(path({ HOME: "/h", LOCALAPPDATA: "/l", XDG_STATE_HOME: "/x" })).toBe(`/x/${name}`);
  expect(copyFile("/work/a.json", "other", { env: {} })).not.toBe(path({}));
  expect(digestText("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("a copy is read as it was written, for its owner alone", async () => {
  const { folder } = await workspace({});
  const path = join(folder, "state/deep/a.json");
  const moved = { file: "/a", whole: { before: null, after: "x" }, servers: { orders: { command: "c" } } };

  expect(await readCopy(path)).toBeUndefined();
  await writeCopy(path, moved);
  expect(await readCopy(path)).toEqual(moved);
  await chmod(path, 0o644);
  await writeCopy(path, { ...moved, whole: null });
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect((await stat(join(folder, "state/deep"))).mode & 0o777).toBe(0o700);
  expect(await readFile(path, "utf8")).toBe(`${JSON.stringify({ ...moved, whole: null })}\n`);
  await removeCopy(path);
  await removeCopy(path);
  await mkdir(path);
  await expect(readCopy(path)).rejects.toThrow("EISDIR");
});

test("a client's file is JSON with comments", async () => {
  expect(await parseClientFile("", "/f")).toEqual({});
  expect(await parseClientFile('{ // one\n "a": [1,], }', "/f")).toEqual({ a: [1] });
  for (const [text, at, words] of [
    ["{", ":1:2", "close brace expected"],
    ["1", "", "it is no object"],
    ["null", "", "it is no object"],
    ["{}\n 1", ":2:2", "end of file expected"],
  ])
    await expect(parseClientFile(text!, "/f")).rejects.toThrow(
      expect.objectContaining({
        code: "USAGE_INVALID",
        message: `/f${at} is not JSON with comments: ${words}; correct it first`,
      }),
    );
  expect(memberAt({ a: { b: 1 } }, ["a", "b"])).toBe(1);
  expect(memberAt({ a: { b: 1 } }, [])).toEqual({ a: { b: 1 } });
  for (const path of [["b"], ["a", "c"], ["a", "b", "c"], ["c", "d"]])
    expect(memberAt({ a: { b: 1 }, c: null }, path)).toBeUndefined();
});

test.each<[string, string, readonly string[], unknown, string]>([
  ["an empty file", "", ["a", "b"], 1, '{\n  "a": {\n    "b": 1\n  }\n}\n'],
  ["tabs", '{\n\t"a": 1\n}\n', ["b"], { c: 2 }, '{\n\t"a": 1,\n\t"b": {\n\t\t"c": 2\n\t}\n}\n'],
  ["four blanks", '{\n    "a": 1\n}', ["b"], [2], '{\n    "a": 1,\n    "b": [\n        2\n    ]\n}\n'],
  ["a comment", '{\n  "a": 1 // one\n}\n', ["a"], 2, '{\n  "a": 2 // one\n}\n'],
  ["a member that goes", '{\n  "a": 1,\n  "b": 2\n}\n', ["a"], undefined, '{\n  "b": 2\n}\n'],
  ["a member that is not there", '{"a": 1}', ["b"], undefined, '{"a": 1}'],
])("an edit of a file with %s keeps its style", async (_, text, path, value, after) => {
  expect(await editClientText(text, path, value, "/f")).toBe(after);
});

test("a client's file is a file, or not there", async () => {
  const { folder } = await workspace({ "real.json": "{}" });

  expect(await readClientFile(join(folder, "real.json"))).toBe("{}");
  expect(await readClientFile(join(folder, "gone.json"))).toBeUndefined();
  await expect(readClientFile(folder)).rejects.toThrow("is a folder");
});

test("ways to a server beside the plan are found in each file, and an unreadable file has none", async () => {
  const { folder } = await workspace({
    ".mcp.json": "{ not json",
    ".cursor/mcp.json": JSON.stringify({ mcpServers: { orders: {}, other: { command: "other" } } }),
    "home/.claude.json": JSON.stringify({ mcpServers: { far: {}, orders: {} } }),
    "home/.cursor/mcp.json": JSON.stringify({ mcpServers: { plain: {} } }),
  });
  const claude = join(folder, "home/.claude.json");
  await writeFile(
    claude,
    JSON.stringify({
      mcpServers: { far: {} },
      projects: { [folder]: { mcpServers: { far: {}, orders: {} } } },
    }),
  );
  const shell = { cwd: folder, env: { HOME: join(folder, "home"), XDG_CONFIG_HOME: join(folder, "none") } };

  expect(await findDirectServers(servers, shell)).toEqual([
    { client: "claude-code", file: claude, name: "far", isMoved: false },
    { client: "claude-code", file: claude, name: "orders", isMoved: false },
    { client: "cursor", file: join(folder, ".cursor/mcp.json"), name: "orders", isMoved: true },
    { client: "cursor", file: join(folder, "home/.cursor/mcp.json"), name: "plain", isMoved: false },
  ]);
  expect(await findDirectServers([], shell)).toEqual([]);
  const way = { client: "cursor", file: "/a\u0007", name: "x", isMoved: true };
  expect(describeWay(way)).toBe(String.raw`cursor reaches x directly, beside the plan: /a\u0007`);
});
