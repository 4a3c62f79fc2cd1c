import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { planOf, removingTool, workspace } from "./support/workspace.ts";

const files = { command: "npx", args: ["-y", "@acme/files", "."] };
const lists = {
  ".mcp.json": JSON.stringify({ mcpServers: { files, notes: { command: "uvx", args: ["notes==1.2"] } } }),
  "home/.cursor/mcp.json": JSON.stringify({
    mcpServers: {
      plan: { command: "npx", args: ["toolmount", "serve", "--stdio"] },
      far: { url: "https://a.example" },
    },
  }),
  "home/.codeium/windsurf/mcp_config.json": "{ no",
};

test("toolmount alone shows the servers that applications start, what is before them, and what to type", async () => {
  const { here, folder } = await workspace(lists);
  const { code, stdout, stderr } = await here([], {
    env: { HOME: `${folder}/home`, XDG_CONFIG_HOME: folder },
  });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain("No plan is in this folder");
  expect(stdout).toMatch(/^claude-code +files, notes – \.mcp\.json$/m);
  expect(stdout).toMatch(/^cursor +plan \(toolmount\), far – home\/\.cursor\/mcp\.json$/m);
  expect(stdout).toMatch(/^cannot read +home\S+windsurf\S+: .*is not JSON/m);
  expect(stdout).toMatch(/^no plan +3 servers: no call is checked, asked about or recorded$/m);
  expect(stdout).toMatch(/^unpinned +1 package: @acme\/files$/m);
  expect(stdout).toMatch(/Next:\n {2}toolmount guard claude-code +see their tools, /);
});

test("a thousand servers fit the screen, and a file is shown once, also in the user's own folder", async () => {
  const many = Array.from({ length: 1000 }, (_, at) => [
    `s${at}`,
    { command: "npx", args: [`@acme/s${at}`] },
  ]);
  const list = JSON.stringify({ mcpServers: Object.fromEntries(many) as object });
  const { here, folder } = await workspace({ ".cursor/mcp.json": list });
  const { stdout } = await here([], { env: { HOME: folder, XDG_CONFIG_HOME: folder } });

  expect(stdout).toMatch(/^cursor +s0, s1, .*s7, s8 and 991 more – /m);
  expect(stdout).toMatch(/^no plan +1000 servers: /m);
  expect(stdout).toMatch(/^unpinned +1000 packages: @acme\/s0, .* and 99\d more$/m);
  expect(stdout.match(/^cursor /gm)).toHaveLength(1);
});

test("names that would draw on the screen are shown as what they are", async () => {
  const list = JSON.stringify({ mcpServers: { "a\u001b[2Jb": files } });
  const { here, folder } = await workspace({ ".mcp.json": list });
  const { stdout } = await here([], { env: { HOME: folder, XDG_CONFIG_HOME: folder } });

  expect(stdout).not.toContain("\u001b");
});

test("in a folder with a plan, toolmount alone names it and starts nothing", async () => {
  const { here, folder } = await workspace({
    "mount-plan.yaml": planOf("./remove.ts"),
    "remove.ts": `${removingTool("remove_note")}\nthrow new Error("it was imported");`,
  });
  const { code, stdout } = await here([], { env: { HOME: folder, XDG_CONFIG_HOME: folder } });

  expect(code).toBe(0);
  expect(stdout).toBe(
    [
      "The plan here is mount-plan.yaml.",
      "not seen        ./remove.ts: only starting it shows the tools",
      "waiting         no call waits for an answer",
      "",
      "No application here lists MCP servers.",
      "",
      "Next:",
      "  toolmount list          its tools",
      "  toolmount serve --http  open the page where people approve calls",
      "  toolmount --help        the commands",
      "",
    ].join("\n"),
  );
});

const server = { command: "npx", args: ["@acme/files@1.0.0"] };
const asServers = JSON.stringify({ mcpServers: { files: server } });

/** Homes of people, each with one list, and what is said of it. */
const homes: readonly (readonly [title: string, path: string, text: string, said: RegExp])[] = [
  ["Claude Code", ".claude.json", asServers, /^claude-code +files – /m],
  ["Cursor", ".cursor/mcp.json", asServers, /^cursor +files – /m],
  ["VS Code", "Code/User/mcp.json", JSON.stringify({ servers: { files: server } }), /^vscode +files – /m],
  ["Windsurf", ".codeium/windsurf/mcp_config.json", asServers, /^windsurf +files – /m],
  ["Codex", ".codex/config.toml", '[mcp_servers.files]\ncommand = "npx"\n', /^codex +files – /m],
  ["Gemini", ".gemini/settings.json", asServers, /^gemini +files – /m],
  [
    "opencode",
    "opencode/opencode.json",
    JSON.stringify({ mcp: { files: { type: "local", command: ["npx", "@acme/files"] } } }),
    /^opencode +files – .*\nno plan .*\nunpinned +1 package: @acme\/files$/m,
  ],
  ["Zed", "zed/settings.json", JSON.stringify({ context_servers: { files: server } }), /^zed +files – /m],
  ["a list with comments", ".cursor/mcp.json", `// mine\n${asServers.slice(0, -1)},}`, /^cursor +files – /m],
  ["a broken list", ".cursor/mcp.json", '{ "mcpServers": {', /^cannot read .*\.cursor\/mcp\.json: .*line 1/m],
  ["a list that is a list", ".cursor/mcp.json", '{ "mcpServers": [1, null] }', /^No application here/m],
  ["an empty file", ".cursor/mcp.json", "", /^No application here lists MCP servers\./m],
];

test.each(homes)("the home of a person with %s is read, and stays as it is", async (_, path, text, said) => {
  const { here, folder } = await workspace({ [`home/${path}`]: text });
  const home = join(folder, "home");
  const before = [await readdir(folder), await readdir(home, { recursive: true })];
  const { code, stdout, stderr } = await here([], { env: { HOME: home, XDG_CONFIG_HOME: home } });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(said);
  expect([await readdir(folder), await readdir(home, { recursive: true })]).toEqual(before);
  expect(await readFile(join(home, path), "utf8")).toBe(text);
});

test("a list that is a link is read through it, and one that is a folder is named", async () => {
  const { here, folder } = await workspace({ "real.json": asServers, ".gemini/settings.json/a.txt": "" });
  await mkdir(join(folder, ".cursor"));
  await symlink(join(folder, "real.json"), join(folder, ".cursor/mcp.json"));
  const { stdout } = await here([], { env: { HOME: folder, XDG_CONFIG_HOME: folder } });

  expect(stdout).toMatch(/^cursor +files – /m);
  expect(stdout).toMatch(/^cannot read +\.gemini\/settings\.json: it is a folder$/m);
});

test("the user's own list is guarded where the project has none", async () => {
  const { here, folder } = await workspace({ "home/.cursor/mcp.json": asServers });
  const { stdout } = await here([], { env: { HOME: `${folder}/home`, XDG_CONFIG_HOME: folder } });

  expect(stdout).toMatch(/^ {2}toolmount guard cursor /m);
});

test("where only a list behind another is open, the next command imports it", async () => {
  const serve = { command: "npx", args: ["toolmount", "serve", "plan.yaml", "--stdio"] };
  const { here, folder } = await workspace({
    ".cursor/mcp.json": JSON.stringify({ mcpServers: { toolmount: serve } }),
    "home/.cursor/mcp.json": asServers,
  });
  const { stdout } = await here([], { env: { HOME: `${folder}/home`, XDG_CONFIG_HOME: folder } });

  expect(stdout).toMatch(/toolmount import \S*home\/\.cursor\/mcp\.json +see their tools, /);
});
