import { readFile, symlink } from "node:fs/promises";
import { silentLogger } from "@toolmount/core";
import { expect, test } from "vitest";
import { inspectPlan, lockPlan } from "../../src/commands/index.ts";
import { openHost } from "../../src/index.ts";
import { workspace } from "../workspace.ts";

const extensions = {
  "@toolmount/policy": { mount: () => null },
  "@toolmount/mcp": { mount: () => null },
  "@toolmount/tool-skills": { mount: () => null },
};
const options = { logger: silentLogger, env: {}, extensions };

async function world(plan: string, files: Record<string, string>) {
  const { path, write, folder } = await workspace({ ...files, "inner/plan.yaml": plan });
  const file = path("inner/plan.yaml");
  const lock = (how = {}) => lockPlan(file, { ...options, ...how });
  const lockedFiles = async () =>
    Object.keys(
      (JSON.parse(await readFile(path("inner/plan.lock.json"), "utf8")) as { files: object }).files,
    );
  const named = async () => (await inspectPlan(file, options)).nextFiles;
  return { path, write, folder, lock, lockedFiles, named, open: () => openHost(file, options) };
}

const hook = 'hooks: [{ command: ["sh", "./guard.sh"] }]\ntools: []';
const guard = { "inner/guard.sh": "exec ./more.sh --fast\n", "inner/more.sh": "exit 0\n" };

test("the script of a hook is locked with the scripts that it names, and a plan whose script changed does not open", async () => {
  const { lock, lockedFiles, write, open } = await world(hook, guard);
  expect(await lock()).toMatchObject({ written: true, files: [] });
  expect(await lockedFiles()).toEqual(["guard.sh", "more.sh"]);
  await (await open()).close();

  await write({ "inner/more.sh": "exit 1\n" });
  const drift = {
    code: "LOCK_DRIFT",
    path: "hooks[0]",
    line: 1,
    hint: "review the file, then accept it with: toolmount lock --accept",
    details: { file: "more.sh", change: "differs from the lock file" },
  };
  await expect(open()).rejects.toMatchObject({ details: { problems: [drift] } });
  expect(await lock({ check: true })).toMatchObject({ exists: true, written: false, files: [drift] });
  expect(await lock({ accept: true })).toMatchObject({ written: true, files: [] });
  await (await open()).close();
});

test("a script that a hook's script names since is not in the lock", async () => {
  const { lock, write } = await world(hook, { ...guard, "inner/third.py": "" });
  await lock();
  await write({ "inner/guard.sh": "exec ./more.sh; ./third.py\n" });

  expect((await lock({ check: true })).files.map(({ details }) => details)).toEqual([
    { file: "guard.sh", change: "differs from the lock file" },
    { file: "third.py", change: "is not in the lock file" },
  ]);
});

test("files of a server are locked where the plan leads to them, and one that is no longer used is reported", async () => {
  const plan = (args: string) =>
    `tools: [{ module: s, source: { mcp: { command: node, args: [${args}] } } }]`;
  const { lock, lockedFiles, write } = await world(
    plan("../far/server.js, --config=./own.json, /etc/hostname"),
    {
      "far/server.js": 'import "./helper.js";\n',
      "far/helper.js": "",
      "far/node_modules/x.js": "",
      "inner/own.json": "{}",
      "inner/other.js": "",
    },
  );
  await lock();
  expect(await lockedFiles()).toEqual(["../far/helper.js", "../far/server.js", "own.json"]);

  await write({ "inner/plan.yaml": plan("../far/helper.js") });
  const { files } = await lock({ check: true });
  expect(files.map(({ details }) => details)).toEqual([
    { file: "../far/server.js", change: "is in the lock file, and no longer used" },
    { file: "own.json", change: "is in the lock file, and no longer used" },
  ]);
});

test("a module of Python, the main file of a folder and a script behind a link are found", async () => {
  const { path, lock, lockedFiles } = await world(
    `hooks: [{ command: "python3 ./check.py && node ./app; ./linked" }]\ntools: []`,
    {
      "inner/check.py": "import os\nfrom rules.words import all\n",
      "inner/rules/words.py": "",
      "inner/app/index.js": "",
      "inner/app/package.json": "{}",
      "inner/real.sh": "",
    },
  );
  await symlink(path("inner/real.sh"), path("inner/linked.sh"));
  await lock();

  expect(await lockedFiles()).toEqual([
    "app/index.js",
    "app/package.json",
    "check.py",
    "real.sh",
    "rules/words.py",
  ]);
});

test("a word without its ending is the script of that name; options, addresses, patterns and homes are no files", async () => {
  const { lock, lockedFiles } = await world(
    `hooks: [{ command: "./guard; sh -x.sh https://a.example/x.sh *.sh ~/x.sh ${"x".repeat(1_001)}.sh" }]\ntools: []`,
    { ...guard, "inner/-x.sh": "", "inner/x.sh": "" },
  );
  await lock();

  expect(await lockedFiles()).toEqual(["guard.sh", "more.sh"]);
});

test("a program that is given a folder after its options runs the main file there", async () => {
  const { lock, lockedFiles } = await world(
    `hooks: [{ command: "/usr/bin/node --no-warnings ./app" }, { command: "cat ./other" }]\ntools: []`,
    { "inner/app/index.mjs": "", "inner/other/index.mjs": "" },
  );
  await lock();

  expect(await lockedFiles()).toEqual(["app/index.mjs"]);
});

test("every file of a folder of skills is locked", async () => {
  const { lock, lockedFiles, write } = await world(
    "tools: [{ module: skills, config: { folders: [./skills] } }]",
    {
      "inner/skills/one/SKILL.md": "one",
      "inner/skills/one/run.sh": "",
    },
  );
  await lock();
  expect(await lockedFiles()).toEqual(["skills/one/SKILL.md", "skills/one/run.sh"]);

  await write({ "inner/skills/two/SKILL.md": "two" });
  expect((await lock({ check: true })).files).toMatchObject([
    { path: "tools[0]", details: { file: "skills/two/SKILL.md", change: "is not in the lock file" } },
  ]);
});

test("an inspected plan names what the next command runs, and who may write it", async () => {
  const { named } = await world(
    `hooks: [{ command: ["sh", "./guard.sh"] }]
tools:
  - { module: s, source: { mcp: { command: node, args: [./srv/main.js], write: [./srv] } } }
  - { module: skills, config: { folders: [./skills] } }
`,
    { ...guard, "inner/srv/main.js": "", "inner/skills/one/SKILL.md": "one" },
  );

  expect((await named()).toSorted((a, b) => (a.file < b.file ? -1 : 1))).toEqual([
    { file: "guard.sh" },
    { file: "more.sh" },
    { file: "skills" },
    { file: "srv/main.js", writableBy: "s" },
  ]);
});
