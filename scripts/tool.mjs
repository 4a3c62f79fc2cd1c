// A tool package of this repository. `pnpm tool new weather` writes tools/weather, which passes every check as it is.
// `pnpm tool check weather` says all that is missing; with --write it writes the lists and schemas that are made from packages.
import { spawn, spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const root = dirname(import.meta.dirname);
const [command, id, option] = process.argv.slice(2);
const folder = `tools/${id}`;
const name = `@toolmount/tool-${id}`;
const read = (path) => readFileSync(join(root, path), "utf8");
const write = (path, text) => writeFileSync(join(root, path), text);

if (id === undefined || !["new", "check"].includes(command)) {
  console.error("usage: pnpm tool new <name>, or pnpm tool check <name> [--write]");
  process.exit(2);
}
if (command === "new") createPackage();
else process.exitCode = await check();

/** What `toolmount package create tool` makes for a stranger, in the form of this repository. */
function createPackage() {
  run("node", [
    "-C",
    "@toolmount/source",
    "packages/cli/src/main.ts",
    "create",
    "tool",
    id,
    folder,
    "--name",
    name,
  ]);
  rmSync(join(root, folder, ".gitignore"), { force: true });
  const example = JSON.parse(read("tools/hello-world/package.json").replaceAll("hello-world", id));
  const made = JSON.parse(read(`${folder}/package.json`));
  const own = { description: made.description, keywords: ["agents", id, "llm", "toolmount", "tools"] };
  write(
    `${folder}/package.json`,
    `${JSON.stringify({ ...example, ...own, toolmount: made.toolmount }, null, 2)}\n`,
  );
  for (const file of ["tsconfig.json", "test/tsconfig.json"])
    write(`${folder}/${file}`, read(`tools/hello-world/${file}`));
  write(`${folder}/README.md`, read(`${folder}/README.md`).replace(/\n## Work on it[^]*/, ""));
  splitModule();
  writeTests(made.toolmount.tools[0].name);
  addToLists();
  // CI installs with a frozen lockfile by default, and a new package changes it.
  run("pnpm", ["install", "--offline", "--no-frozen-lockfile"]);
  run("oxfmt", [folder, "tsconfig.json"]);
  console.log(`${folder} is there; write its tool, then: pnpm tool check ${id}`);
}

/** The template's entry mounts; here it only lists names, and `module.ts` mounts. */
function splitModule() {
  const entry = read(`${folder}/src/index.ts`);
  const [listed = ""] = /^export \{.*\n/m.exec(entry) ?? [];
  renameSync(join(root, folder, "src/index.ts"), join(root, folder, "src/module.ts"));
  write(`${folder}/src/module.ts`, entry.replace(listed, "").replace("import { config, ", "import { "));
  const [, from] = / from ("\.\/.*");/.exec(entry.slice(entry.indexOf("import { config"))) ?? [];
  write(
    `${folder}/src/index.ts`,
    `export { mount } from "./module.ts";\n${listed.replace(";", ` from ${from};`)}`,
  );
}

/** The template's test for Vitest, and the contract suite of each package. */
function writeTests(tool) {
  const path = `${folder}/test/${readdirSync(join(root, folder, "test")).find((file) => file.endsWith(".test.ts"))}`;
  const text = read(path)
    .replace(
      'import assert from "node:assert/strict";\nimport { test } from "node:test";\n',
      'import { expect, test } from "vitest";\n',
    )
    .replace("../src/index.ts", name)
    .replaceAll(/^( +)assert\.\w+\((.*)\);$/gm, (_, indent, both) => `${indent}${expectation(both)}`);
  write(path, text);
  mkdirSync(join(root, folder, "test"), { recursive: true });
  write(
    `${folder}/test/contract.process.test.ts`,
    `import * as module from "${name}";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";

describeToolModule(module, {
  url: import.meta.resolve("${name}"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  config: { entries: { Vienna: "sunny" } },
  valid: { ${tool}: [{ name: "Vienna" }] },
  invalid: { ${tool}: [{}, { name: " " }, { name: "Atlantis" }] },
  usage: { ${tool}: [/may be called as often as needed/] },
});
`,
  );
}

/** Two arguments of Node's assert, as Vitest writes them: they are apart at the first comma outside of brackets. */
function expectation(both) {
  let depth = 0;
  const at = [...both].findIndex((sign) => {
    if ("([{".includes(sign)) depth++;
    if (")]}".includes(sign)) depth--;
    return sign === "," && depth === 0;
  });
  return `expect(${both.slice(0, at)}).toEqual(${both.slice(at + 1).trim()});`;
}

/** The solution of the compiler, the reference plan with its dependencies, and the first release. */
function addToLists() {
  const solution = JSON.parse(read("tsconfig.json"));
  for (const path of [folder, `${folder}/test`]) solution.references.push({ path });
  write("tsconfig.json", `${JSON.stringify(solution, null, 2)}\n`);
  const plan = "mount-plans/reference.yaml";
  write(plan, read(plan).replace("  - module: hello-world\n", `$&  - module: ${id}\n`));
  const plans = JSON.parse(read("mount-plans/package.json"));
  const dependencies = { ...plans.dependencies, [name]: plans.dependencies["@toolmount/tool-hello-world"] };
  const sorted = Object.fromEntries(Object.entries(dependencies).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  write("mount-plans/package.json", `${JSON.stringify({ ...plans, dependencies: sorted }, null, 2)}\n`);
  const release = ".changeset/first-release.md";
  const lines = read(release).split("\n");
  const at = lines.findIndex((line) => line > `"${name}"` && line.startsWith('"'));
  write(release, lines.toSpliced(at, 0, `"${name}": minor`).join("\n"));
}

/** Runs every check, and says all that fails. */
async function check() {
  const vitest = (project, ...files) => ["vitest", ["run", "--project", project, "--reporter=dot", ...files]];
  const withWrite = `pnpm tool check ${id} --write`;
  const isWriting = option === "--write";
  const schema = ["reference", "schema", "plan-keys"].map(
    (file) => `packages/cli/test/schema/${file}.test.ts`,
  );
  const house = ["house", "plain-english", "shipped-tools", "where-page", "plans"];
  const cli = ["-C", "@toolmount/source", "packages/cli/src/main.ts"];
  // Each ring starts once: to load the packages takes longer than most of its tests.
  const checks = {
    types: ["tsc", ["-b", folder, `${folder}/test`]],
    "style (pnpm fix)": ["oxlint", ["--type-aware", folder]],
    "format (pnpm fix)": ["oxfmt", ["--check", folder]],
    [`its manifest (${withWrite})`]: ["node", [...cli, "manifest", folder, "--check"]],
    [`its tests, the rules of the house, and the plans' schema (${withWrite})`]: vitest(
      "quick",
      `${folder}/test`,
      ...house.map((file) => `test/${file}.test.ts`),
      ...schema,
    ),
    "its contract, and what all tools owe": vitest(
      "process",
      `${folder}/test`,
      "test/manifests.process.test.ts",
      "test/contract-rows/aptix-shipped.process.test.ts",
    ),
    [`the list of packed files (${withWrite})`]: isWriting
      ? vitest("process", "test/packed-files.process.test.ts")
      : ["grep", ["-qx", folder, "test/packed-files.txt"]],
  };
  if (isWriting) writeLists();
  const failed = [];
  for (const [title, [program, words]] of Object.entries(checks)) {
    const began = performance.now();
    const { code, text } = await attempt(program, words);
    console.log(`${code === 0 ? "✔" : "✖"} ${title}, ${((performance.now() - began) / 1000).toFixed(1)} s`);
    if (code !== 0) failed.push(`\n✖ ${title}\n${text}`);
  }
  for (const text of failed) console.log(text);
  return failed.length === 0 ? 0 : 1;
}

function writeLists() {
  run("node", ["-C", "@toolmount/source", "packages/cli/src/main.ts", "manifest", folder]);
  process.env.TOOLMOUNT_WRITE = "1";
}

function attempt(program, words) {
  return new Promise((resolve) => {
    const child = spawn(program, words, {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1" },
    });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (text += String(part)));
    child.on("close", (code) =>
      resolve({ code, text: text.slice(Math.max(0, text.indexOf("Failed Tests"))) }),
    );
  });
}

function run(program, words) {
  const { status } = spawnSync(program, words, { cwd: root, stdio: "inherit" });
  if (status !== 0) throw new Error(`${program} ${words.join(" ")} ended with ${status}`);
}
