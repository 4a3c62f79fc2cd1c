import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";
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
