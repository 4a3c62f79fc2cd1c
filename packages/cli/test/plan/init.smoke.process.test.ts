import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse as parseJsonc } from "jsonc-parser";
import { parse } from "yaml";
import { atTerminal, keys, type AtTerminal } from "../support/terminal.ts";
import { root, workspace } from "../support/workspace.ts";

/** What `npm install` brings. */
async function install(folder: string) {
  const modules = join(folder, "node_modules");
  await mkdir(join(modules, "@toolmount"), { recursive: true });
  await symlink(join(root, "packages/core"), join(modules, "@toolmount/core"));
  await symlink(join(root, "tools/filesystem"), join(modules, "@toolmount/tool-filesystem"));
  await symlink(join(root, "packages/core/node_modules/zod"), join(modules, "zod"));
}

/** Starts init at a terminal, accepts the name of the plan, and answers the next questions: agents get no work in the folder. */
async function answerInit(cwd: string, { firstTool, files }: Record<"firstTool" | "files", "y" | "n">) {
  const terminal = atTerminal(["init"], { cwd });
  await terminal.until(/Name of the plan\?/);
  terminal.press(keys.enter);
  await terminal.until(/Write a first tool/);
  terminal.press(firstTool);
  await terminal.until(/change files and run commands/);
  terminal.press("n");
  await terminal.until(/read the files of this folder/);
  terminal.press(files);
  return terminal;
}

/** Answers whether npm installs the packages, and whether the folder becomes a git repository. */
async function answerEnd(terminal: AtTerminal, git: "y" | "n" = "n") {
  await terminal.until(/Install the packages with npm now\?/);
  terminal.press("n");
  await terminal.until(/Make the folder a git repository\?/);
  terminal.press(git);
  expect(await terminal.ended, terminal.text()).toBe(0);
}

test("a plan in which agents work has a layer exactly where the machine proves one", async () => {
  const { folder, read } = await workspace({});
  const terminal = atTerminal(["init", "ours"], { cwd: folder });
  await terminal.until(/Write a first tool/);
  terminal.press("n");
  await terminal.until(/change files and run commands/);
  terminal.press("y");
  await answerEnd(terminal);
  const plan = parse(await read("ours/mount-plan.yaml")) as { layer?: string; tools: { module: string }[] };
  expect(plan.tools.map(({ module }) => module)).toEqual(["bash", "filesystem", "search"]);
  const hasLayer = spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;
  expect(plan.layer).toBe(hasLayer ? "./" : undefined);
  expect(terminal.text().includes("no layer here")).toBe(!hasLayer);
});

describe("from an empty folder to a first own call", () => {
  test("the workflow's own steps pass in the new folder, without a key and without a model", async () => {
    const { folder, run, read } = await workspace({});
    await run(["init", "ours", "--yes"]);
    const cwd = join(folder, "ours");
    await install(cwd);
    const { jobs } = parse(await read("ours/.github/workflows/toolmount.yml")) as Workflow;
    const steps = jobs.plan.steps.flatMap((step) => step.run ?? []);
    const own = steps.filter((step) => step.startsWith("npx toolmount"));

    expect(own).toEqual(["npx toolmount check", "npx toolmount test"]);
    for (const step of own) {
      const { code, stderr } = await run(step.split(" ").slice(2), { cwd });
      expect(code, stderr).toBe(0);
    }
    const [, ...diff] = /npx toolmount (diff) before\/(\S+) (\S+) (--format) (markdown)/.exec(steps.at(-1)!)!;
    await mkdir(join(cwd, "before"));
    await writeFile(join(cwd, "before", diff[1]!), "version: 1\ntools: []\n");
    const shown = await run([diff[0]!, `before/${diff[1]}`, diff[2]!, diff[3]!, diff[4]!], { cwd });
    expect(shown.stdout, shown.stderr).toContain("count_words");
  });

  test("init --yes writes a plan and a first tool, which can be called", async () => {
    const { folder, run, read } = await workspace({});
    const made = await run(["init", "my own", "--yes"]);
    const cwd = join(folder, "my own");
    await install(cwd);
    const checked = await run(["check"], { cwd });
    const called = await run(["call", "count_words", '{"text":"one two three"}', "--json"], { cwd });

    expect([made.code, made.stdout]).toEqual([0, expect.stringContaining("  cd 'my own'\n")]);
    expect(made.stdout).toContain(`npx toolmount call count_words '{"text":"one two three"}'`);
    expect(checked.code, checked.stdout).toBe(0);
    expect(called.json()).toMatchObject({ status: "ok", result: { data: { words: 3 } } });
    expect((await run(["test"], { cwd })).stdout).toContain("1 test, 0 failed");
    expect(parseJsonc(await read("my own/tsconfig.json"))).toMatchObject({ include: ["tools"] });
    expect(await read("my own/mount-plan.yaml")).toMatch(/^# yaml-language-server: \$schema=/);
    expect(JSON.parse(await read("my own/package.json"))).toMatchObject({
      name: "my-own",
      type: "module",
      dependencies: { "@toolmount/core": expect.any(String), toolmount: expect.any(String) },
    });
  });

  test("at a terminal init asks what to write, and makes a git repository", async () => {
    const { folder, here: run } = await workspace({ "mine/.gitignore": "dist/" });
    const cwd = join(folder, "mine");
    const terminal = await answerInit(cwd, { firstTool: "n", files: "y" });
    await answerEnd(terminal, "y");
    await install(cwd);
    const listed = await run(["list", "--json"], { cwd });

    expect(listed.json()).toMatchObject({
      tools: expect.arrayContaining([expect.objectContaining({ name: "read_file" })]),
    });
    expect(existsSync(join(cwd, ".git"))).toBe(true);
  });

  test("in a folder with settings of other applications init offers to import them", async () => {
    const {
      folder,
      here: run,
      read,
    } = await workspace({
      "mine/.mcp.json": JSON.stringify({
        mcpServers: { notes: { command: "notes-server", env: { NOTES_TOKEN: "sk-live-1" } } },
      }),
      "mine/.cursor/mcp.json": "{ this is no list",
      "mine/.claude/settings.json": JSON.stringify({ permissions: { deny: ["Bash(rm *)"] } }),
    });
    const cwd = join(folder, "mine");
    const terminal = await answerInit(cwd, { firstTool: "y", files: "n" });
    await terminal.until(/Import \.mcp\.json and \.cursor\/mcp\.json and \.claude\/settings\.json\?/);
    terminal.press("y");
    await answerEnd(terminal);
    const plan = await read("mine/mount-plan.yaml");

    expect(plan).toContain("module: ./tools/count-words.ts");
    expect(plan).toContain("command: notes-server");
    expect(plan).toContain("bash(rm *)");
    expect(plan).not.toContain("sk-live-1");
    expect(terminal.text()).toContain("set the environment variable NOTES_TOKEN");
    expect(terminal.text()).toContain("✔ .claude/settings.json: deny bash(rm *)");
    expect(terminal.text()).toMatch(/\.cursor\/mcp\.json is not imported: /);
    expect(terminal.text()).toMatch(/Next:[\s\S]*npx toolmount import \.cursor\/mcp\.json/);
    expect((await run(["print"], { cwd })).code).toBe(0);
  });

  test("init changes no file that is there, and adds the missing lines to .gitignore", async () => {
    const { here: run, read } = await workspace({
      "mine/package.json": '{"name":"old"}',
      "mine/.gitignore": "dist/\nnode_modules",
      "mine/.mcp.json": "{}",
    });
    const { stdout } = await run(["init", "mine"]);
    const again = await run(["init", "mine"]);

    expect(await read("mine/package.json")).toBe('{"name":"old"}');
    expect(await read("mine/.gitignore")).toBe("dist/\nnode_modules\n.toolmount/\n.env\n");
    expect(stdout).toContain("npm install toolmount @toolmount/core zod");
    expect(stdout).toContain("toolmount import .mcp.json");
    expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("exists already")]);
  });

  test.each([[["add", "filesystem"]], [["list"]], [["check"]]])(
    "%j in an empty folder says how to begin",
    async (words) => {
      const { here: run } = await workspace({});
      const { code, stderr } = await run(words);

      expect(code).toBe(78);
      expect(stderr).toContain("hint: toolmount init writes a plan");
    },
  );
});

interface Workflow {
  readonly jobs: { readonly plan: { readonly steps: readonly { readonly run?: string }[] } };
}
