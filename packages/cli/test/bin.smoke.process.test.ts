import { spawnSync } from "node:child_process";
import { mkdtemp, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, workspace } from "./support/workspace.ts";

const bin = join(root, "packages/cli/bin/toolmount.js");

test.each(["--version", "-V"])(
  "%s prints the version of the package, and no part of the command is loaded",
  async (word) => {
    const { folder } = await workspace({
      "no-main.mjs": `import { registerHooks } from "node:module";
      registerHooks({ load(url, context, next) {
        if (url.endsWith("dist/main.js")) throw new Error("loaded");
        return next(url, context);
      } });`,
    });
    const { version } = JSON.parse(await readFile(join(root, "packages/cli/package.json"), "utf8")) as {
      version: string;
    };
    const { status, stdout } = spawnSync(
      process.execPath,
      ["--import", join(folder, "no-main.mjs"), bin, word],
      {
        encoding: "utf8",
      },
    );
    expect([status, stdout]).toEqual([0, `${version}\n`]);
  },
);

test("on a Node that is too old the command says which one it needs", async () => {
  const { folder } = await workspace({
    "old.cjs": `Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } });`,
  });
  const { status, stderr, stdout } = spawnSync(
    process.execPath,
    ["-r", join(folder, "old.cjs"), bin, "list"],
    {
      encoding: "utf8",
    },
  );

  expect([status, stdout]).toEqual([1, ""]);
  expect(stderr).toBe("toolmount needs Node 22.19 or later; this is Node 20.20.2\n");
});

test("what a call runs is kept compiled: the next call compiles few functions", async () => {
  const { folder } = await workspace({});

  await functionsCompiled(folder);

  // 1,684 where a first call's functions are not bundled in parentheses (scripts/first-call.mjs).
  expect(await functionsCompiled(folder)).toBeLessThan(850);
});

/** How many functions a call compiles because they are called, not because their file is loaded. */
async function functionsCompiled(folder: string): Promise<number> {
  const logs = await mkdtemp(join(folder, "logs-"));
  const log = ["--log-function-events", "--logfile-per-isolate", `--logfile=${join(logs, "v8.log")}`];
  const words = ["call", join(root, "mount-plans/demo.yaml"), "read_file", `{"file_path":"README.md"}`];
  const env = { ...process.env, NODE_COMPILE_CACHE: join(folder, "compiled") };
  const { status } = spawnSync(process.execPath, [...log, bin, ...words], { env });
  expect(status).toBe(0);
  const texts = await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), "utf8")));
  return texts.join("").match(/^function,parse-function,/gm)?.length ?? 0;
}
