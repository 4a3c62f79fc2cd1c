import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root, workspace } from "./support/workspace.ts";

const bin = join(root, "packages/cli/bin/toolmount.js");

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
