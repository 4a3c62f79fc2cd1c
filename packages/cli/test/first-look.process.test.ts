import { execFileSync } from "node:child_process";
import { mkdir, readdir, readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atTerminal, ready } from "./support/terminal.ts";
import { planOf, removingTool, workspace } from "./support/workspace.ts";

const server = { command: "npx", args: ["@acme/files"] };
const asServers = JSON.stringify({ mcpServers: { files: server } });

test("pipes, links in a circle and names that are paths cost no other list, and nothing waits for them", async () => {
  const { here, folder } = await workspace({
    "home/real.json": asServers,
    "home/.claude/agents/README.md": "# No agent",
    "home/.claude/skills/broken/SKILL.md": "no front matter",
    "package.json": '{"dependencies":{"../home":"1","toolmount-tool-gone":"latest","x y":"*"}}',
  });
  const home = join(folder, "home");
  execFileSync(
    "mkfifo",
    [".mcp.json", "home/.claude/skills/pipe"].map((name) => join(folder, name)),
  );
  await mkdir(join(home, ".cursor"));
  await symlink(join(home, ".cursor/mcp.json"), join(home, ".cursor/mcp.json"));
  await mkdir(join(home, ".gemini"));
  await symlink(join(home, "real.json"), join(home, ".gemini/settings.json"));
  const { code, stdout, stderr } = await here([], { env: { HOME: home, XDG_CONFIG_HOME: home } });

  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(/^cannot read +\.mcp\.json: it is neither a file nor a folder$/m);
  expect(stdout).toMatch(/^gemini +files – /m);
  expect(stdout).toMatch(/^skills +1, about 0 tokens in each request: broken \(cannot be read\)$/m);
  expect(stdout).not.toMatch(/^agents /m);
  expect(stdout).toMatch(/^packages +1: toolmount-tool-gone \(unpinned\)$/m);
});

const many = (name: string) =>
  JSON.stringify({
    [name]: Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [`a-long-name-of-a-server-${at}`, server]),
    ),
  });
const skill = (name: string) =>
  `---\nname: ${name}\ndescription: ${"Does what a person wants. ".repeat(9)}\n---\n`;

/** A home in which every line of the first look is there, and long. */
const crowded = {
  ".mcp.json": many("mcpServers"),
  ".cursor/mcp.json": many("mcpServers"),
  ".vscode/mcp.json": many("servers"),
  "home/.codeium/windsurf/mcp_config.json": many("mcpServers"),
  ".gemini/settings.json": many("mcpServers"),
  "opencode.json": many("mcp"),
  "home/.cursor/mcp.json": "{ broken",
  "home/.claude.json": `${" ".repeat(200)}{ broken too`,
  ...Object.fromEntries(
    ["one", "two", "three"].map((name) => [`.claude/skills/${name}-skill/SKILL.md`, skill(name)]),
  ),
  ...Object.fromEntries(
    ["one", "two", "three"].map((name) => [`.claude/agents/${name}-agent.md`, skill(name)]),
  ),
  "package.json": JSON.stringify({
    dependencies: {
      "@toolmount/tool-filesystem": "*",
      "@toolmount/tool-bash": "*",
      "toolmount-tool-of-somebody": "1",
    },
  }),
};

/** Every file and link below a folder, and what is in the files. */
async function stateOf(folder: string): Promise<unknown> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    entries.map(async (entry) => {
      const path = join(entry.parentPath, entry.name);
      return [path, entry.isFile() ? (await readFile(path)).toString("base64") : ""];
    }),
  );
}

const plans = {
  "no plan": {},
  "a plan": {
    "mount-plan.yaml": `${planOf("./remove.ts", "filesystem")}  - { module: notes, source: { mcp: { command: gone } } }\npolicy:\n  deny: [delete_file]\n`,
    "remove.ts": removingTool(),
  },
  "a plan that is broken": { "mount-plan.yaml": "version: 1\ntools:\n  - modul: x\n" },
} satisfies Record<string, Record<string, string>>;

test.each(Object.entries(plans))(
  "with %s, all that there is fits one screen of 80 columns and 24 lines, and a person who leaves changed nothing",
  async (_, files) => {
    const { folder } = await workspace({ ...crowded, ...files });
    const before = await stateOf(folder);
    const home = join(folder, "home");
    const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), NO_COLOR: "1" };
    const terminal = atTerminal([], { cwd: folder, columns: 80, rows: 24, env });
    const seen = await terminal.until(ready);
    terminal.press("q");

    expect(await terminal.ended, terminal.text()).toBe(0);
    expect(seen.split("\n").length, seen).toBeLessThanOrEqual(24);
    expect(seen).toMatch(/toolmount (guard claude-code|check)/);
    expect(await stateOf(folder)).toEqual(before);
  },
);

test("a key begins the next command", async () => {
  const { folder } = await workspace({});
  const terminal = atTerminal([], { cwd: folder, env: { HOME: folder, XDG_CONFIG_HOME: folder } });
  await terminal.until(ready);
  terminal.press("m");

  expect(await terminal.until(/Name of the plan\?/)).toContain("toolmount init");
});

test("a call that waits is counted, in a store that stays as it is, and a key shows its question", async () => {
  const { folder, run } = await workspace({
    "mount-plan.yaml": planOf("./remove.ts"),
    "remove.ts": removingTool(),
  });
  await run(["lock"]);
  expect((await run(["call", "remove", "path=a.txt"])).code).toBe(3);
  const before = await stateOf(folder);
  const env = { HOME: folder, XDG_CONFIG_HOME: folder, NO_COLOR: "1" };
  const { stdout } = await run([], { env });

  expect(stdout).toMatch(/^tools +1: 1 side_effect; about \d+ tokens in each request$/m);
  expect(stdout).toMatch(/^their calls +1 asks$/m);
  expect(stdout).toMatch(/^waiting +1 call for an answer$/m);
  expect(await stateOf(folder)).toEqual(before);
  const terminal = atTerminal([], { cwd: folder, env });
  await terminal.until(ready);
  terminal.press("a");
  await terminal.until(/Approve remove\?|remove/);
});
