import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { openHost } from "@toolmount/loader";
import { expect, onTestFinished, test } from "vitest";
import { commandFile, nodeFlags } from "./support/program.ts";

const run = promisify(execFile);
const filesystem = join(import.meta.dirname, "../tools/filesystem");

/** Files that a model could write, and the program that a person starts next. */
interface Plant {
  readonly files: Readonly<Record<string, string>>;
  readonly next: readonly string[];
  /** Where it is started, in the folder of the plan. */
  readonly in?: string;
  /** What the repository has before. */
  readonly before?: readonly (readonly string[])[];
}

const settings = '[core]\n\tfsmonitor = "touch \\"$OUT\\"; false"\n';
const script = '#!/bin/sh\ntouch "$OUT"\n';
const node = 'require("node:fs").writeFileSync(process.env.OUT, "");\n';
const status = ["git", "status"];
const submodule = [
  ["git", "init", "-q", "other"],
  ["git", "-C", "other", "commit", "-q", "--allow-empty", "-m", "x"],
  ["git", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "./other", "sub"],
];
const worktree = [
  ["git", "commit", "-q", "--allow-empty", "-m", "x"],
  ["git", "worktree", "add", "-q", "tree"],
];
const own = "[core]\n\trepositoryformatversion = 0\n\tbare = false\n";

const plants: Readonly<Record<string, Plant>> = {
  ".git/config": { files: { ".git/config": own + settings }, next: status },
  ".git/config of a repository below": {
    files: {
      "deep/.git/config": own + settings,
      "deep/.git/HEAD": "ref: refs/heads/main\n",
      "deep/.git/objects/x": "",
      "deep/.git/refs/x": "",
    },
    next: status,
    in: "deep",
  },
  "the settings of a submodule": {
    before: submodule,
    files: {
      ".git/modules/sub/config": `${own.replace("false", "false\n\tworktree = ../../../sub")}${settings}`,
    },
    next: status,
  },
  "the .git file of a submodule": {
    before: submodule,
    files: {
      "sub/.git": "gitdir: ../evil\n",
      "evil/HEAD": "ref: refs/heads/main\n",
      "evil/config": own + settings,
      "evil/objects/x": "",
      "evil/refs/x": "",
    },
    next: status,
    in: "sub",
  },
  "the commondir of a worktree": {
    before: worktree,
    files: {
      ".git/worktrees/tree/commondir": "../../../evil\n",
      "evil/config": own + settings,
      "evil/objects/x": "",
      "evil/refs/x": "",
    },
    next: status,
    in: "tree",
  },
  "a folder that git takes for a repository": {
    files: {
      "bare/HEAD": "ref: refs/heads/main\n",
      "bare/config": `${own}\tworktree = .\n${settings}`,
      "bare/objects/x": "",
      "bare/refs/x": "",
    },
    next: status,
    in: "bare",
  },
  "a folder that git takes for a repository, HEAD last": {
    files: {
      "bare/config": `${own}\tworktree = .\n${settings}`,
      "bare/refs/x": "",
      "bare/objects/x": "",
      "bare/HEAD": "ref: refs/heads/main\n",
    },
    next: status,
    in: "bare",
  },
  "the settings of a repository without a working tree": {
    before: [["git", "init", "-q", "--bare", "store"]],
    files: { "store/config": `${own}\tworktree = .\n${settings}` },
    next: status,
    in: "store",
  },
  "the settings of a git home": { files: { ".config/git/config": settings }, next: status },
  ".gitconfig": { files: { ".gitconfig": settings }, next: status },
  ".gitattributes": {
    before: [["git", "config", "filter.own.clean", 'touch "$OUT"; cat']],
    files: { ".gitattributes": "*.txt filter=own\n" },
    next: ["git", "add", "a.txt"],
  },
  ".git/info/attributes": {
    before: [["git", "config", "filter.own.clean", 'touch "$OUT"; cat']],
    files: { ".git/info/attributes": "*.txt filter=own\n" },
    next: ["git", "add", "a.txt"],
  },
  ".npmrc": { files: { ".npmrc": "script-shell=./evil.sh\n", "evil.sh": script }, next: ["npm", "run", "x"] },
  ".pnpmfile.cjs": {
    files: { ".pnpmfile.cjs": `${node}module.exports = {};\n` },
    next: ["pnpm", "install", "--offline"],
  },
  "pnpm-workspace.yaml": {
    files: { "pnpm-workspace.yaml": "pnpmfile: ./x.cjs\n", "x.cjs": `${node}module.exports = {};\n` },
    next: ["pnpm", "install", "--offline"],
  },
  "a package of a folder below": {
    files: { "deep/node_modules/x/index.js": node, "deep/a.js": 'require("x");\n' },
    next: ["node", "a.js"],
    in: "deep",
  },
  "a plan of a folder below": {
    files: {
      "deep/mount-plan.yaml": "version: 1\ntools: [{ module: ../evil.mjs }]\n",
      "evil.mjs": 'import { writeFileSync } from "node:fs"; writeFileSync(process.env.OUT, "");\n',
    },
    next: ["toolmount", "check"],
    in: "deep",
  },
};

/** A plan from a package.json, which names none: its program obeys nothing. */
const harmless: Plant = {
  files: {
    "deep/package.json": '{ "toolmount": { "plan": "p.yml" } }',
    "deep/p.yml": "version: 1\ntools: [{ module: ../evil.mjs }]\n",
    "evil.mjs": 'import { writeFileSync } from "node:fs"; writeFileSync(process.env.OUT, "");\n',
  },
  next: ["toolmount", "check"],
  in: "deep",
};

async function world({ before = [] }: Plant) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-obeyed-")));
  const outside = await realpath(await mkdtemp(join(tmpdir(), "toolmount-obeyed-out-")));
  onTestFinished(async () => {
    for (const each of [folder, outside]) await rm(each, { recursive: true, force: true });
  });
  const out = join(outside, "ran");
  const env = {
    PATH: process.env["PATH"],
    HOME: folder,
    OUT: out,
    GIT_AUTHOR_NAME: "a",
    GIT_AUTHOR_EMAIL: "a@example.com",
    GIT_COMMITTER_NAME: "a",
    GIT_COMMITTER_EMAIL: "a@example.com",
    npm_config_cache: outside,
    XDG_CACHE_HOME: outside,
    XDG_DATA_HOME: outside,
    XDG_STATE_HOME: outside,
  };
  const start = async ([program = "", ...words]: readonly string[], within = ".") => {
    const [file, all] =
      program === "toolmount" ? [process.execPath, [...nodeFlags, commandFile, ...words]] : [program, words];
    // Whether the program succeeds is not the question.
    await run(file, all, { cwd: join(folder, within), env }).catch(() => null);
  };
  const plan = { version: 1, tools: [{ module: "filesystem", source: `file:${filesystem}` }] };
  await writeFile(join(folder, "plan.json"), JSON.stringify(plan));
  await writeFile(
    join(folder, "package.json"),
    '{ "name": "x", "version": "1.0.0", "scripts": { "x": "true" } }',
  );
  await writeFile(join(folder, "a.txt"), "a\n");
  await symlink(join(import.meta.dirname, "node_modules"), join(outside, "node_modules"));
  for (const words of [["git", "init", "-q", "."], ...before]) await start(words);
  return { folder, out, start };
}

test.each(Object.entries(plants))(
  "the next program obeys %s, and file tools cannot write it",
  async (_, plant) => {
    const byHand = await world(plant);
    for (const [name, text] of Object.entries(plant.files)) {
      await mkdir(dirname(join(byHand.folder, name)), { recursive: true });
      await writeFile(join(byHand.folder, name), text, { mode: 0o755 });
    }
    await byHand.start(plant.next, plant.in);
    expect(existsSync(byHand.out), "the program obeys what it finds").toBe(true);

    const { codes, ran } = await byTools(plant);
    expect(codes).toContain("ACCESS_DENIED");
    expect(ran).toBe(false);
  },
);

/** Files of programs that not every machine has: with these, each runs code of its file, or of a place that this names. */
const elsewhere = [
  "deep/.pnp.cjs",
  ".pnp.loader.mjs",
  ".corepack.env",
  ".cargo/config.toml",
  ".mvn/jvm.config",
  ".bundle/config",
  ".hg/hgrc",
  ".hgrc",
  ".jj/repo/config.toml",
  "crush.json",
  ".crush.json",
  ".amp/settings.json",
  ".factory/hooks.json",
  ".rovodev/config.yml",
  ".gitpod.yml",
  "bitrise.yml",
  ".aws/config",
  ".kube/config",
  ".config/systemd/user/a.service",
  ".config/autostart/a.desktop",
  ".tmux.conf",
  ".curlrc",
];

test("file tools cannot write what programs obey that this machine may lack", async () => {
  const { folder } = await world(harmless);
  const host = await openHost(join(folder, "plan.json"), { logger: silentLogger });
  onTestFinished(() => void host.close());
  const written = [];
  for (const file_path of elsewhere) {
    const { result } = await host.call({ name: "write_file", arguments: { file_path, content: "x" } });
    if (result.code !== "ACCESS_DENIED") written.push(file_path);
  }
  expect(written).toEqual([]);
});

test("toolmount does not obey a plan that a package.json names", async () => {
  expect(await byTools(harmless)).toEqual({ codes: [undefined, undefined, undefined], ran: false });
});

/** Writes the files with the file tools, also by moving whole folders into place, then starts the next program. */
async function byTools(plant: Plant) {
  const { folder, out, start } = await world(plant);
  const host = await openHost(join(folder, "plan.json"), {
    logger: silentLogger,
    store: createMemoryStore(),
  });
  onTestFinished(() => void host.close());
  const codes = [];
  for (const [file_path, content] of Object.entries(plant.files)) {
    const { result } = await host.call({
      name: "write_file",
      arguments: { file_path, content },
    });
    codes.push(result.code);
    await host.call({ name: "write_file", arguments: { file_path: `beside/${file_path}.x`, content } });
    await host.call({
      name: "move_file",
      arguments: { source: `beside/${file_path}.x`, destination: file_path, overwrite: true },
    });
  }
  await mkdir(join(folder, plant.in ?? "."), { recursive: true });
  expect(await readdir(folder)).toContain("a.txt");
  await start(plant.next, plant.in);
  return { codes, ran: existsSync(out) };
}
