import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keptBytesOf, pruneKeeps } from "../../src/layer/keeps.ts";
import { env, folderOf, opened, within } from "./layer-world.ts";

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
const hasLayer =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

const all = ["files", "deletions", "obeyed", "repository"] as const;

describe.runIf(hasLayer)("the former entries of keeps", () => {
  test("are forgotten, the oldest first, where they take too much of the disk; the last one stays", async () => {
    const folder = folderOf("head -c 400000 /dev/zero > a; echo b > b");
    const layer = await opened(folder);
    const keep = async (script: string) => {
      await within(layer, folder, script);
      const { digest } = await layer.difference();
      expect(await layer.keep({ digest, sections: all })).toMatchObject({ status: "kept" });
    };
    await keep("rm a");
    await keep("head -c 300000 /dev/zero > c; echo more >> b");
    await keep("rm c");
    expect(layer.keeps()).toHaveLength(3);
    expect(layer.keptBytes()).toBeGreaterThan(700_000);
    const at = { folder, place: join(folder, ".toolmount/layers/s"), env };
    pruneKeeps(at, { seconds: 3_600, bytes: 500_000 });
    expect(layer.keeps()).toEqual(["000002", "000003"]);
    pruneKeeps(at, { seconds: 3_600, bytes: 1 });
    expect(layer.keeps()).toEqual(["000003"]);
    expect(await layer.undo("000003")).toMatchObject({ status: "undone" });
    expect(await layer.undo("000001")).toEqual({ status: "forgotten" });
    expect(await layer.undo("000003")).toEqual({ status: "unknown" });
    await keep("echo later >> b");
    expect(layer.keeps()).toEqual(["000004"]);
    expect(keptBytesOf(at.place)).toBe(layer.keptBytes());
    await keep("echo last >> b");
    pruneKeeps(at, { seconds: 0, bytes: 1_000_000 });
    expect(layer.keeps()).toEqual(["000005"]);
  });
});
