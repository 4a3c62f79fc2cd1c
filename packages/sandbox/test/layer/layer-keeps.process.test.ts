import { spawnSync } from "node:child_process";
import { appendFileSync, lstatSync, readFileSync } from "node:fs";
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

const numbered = "for i in $(seq 40); do echo $i; done > a";
const person = "sed -i 's/^5$/five/; s/^20$/twenty/; s/^35$/thirty/' a; echo b > b";

describe.runIf(hasLayer).each(["overlay", "copy"] as const)("a part of a file, by %s", (engine) => {
  test("is kept, the rest of it waits, and an undo gives back what was", async () => {
    const folder = folderOf(`${numbered}; chmod 640 a`);
    const layer = await opened(folder, { engine });
    await within(layer, folder, person);
    const keep = async (parts: Readonly<Record<string, readonly number[]>>) => {
      const { digest } = await layer.difference();
      return layer.keep({ digest, sections: all, paths: [], parts });
    };
    const line = (at: number) => readFileSync(join(folder, "a"), "utf8").split("\n")[at - 1];
    const rest = async () => (await layer.difference()).changes.map(({ path }) => path);
    expect(await keep({ b: [0] })).toEqual({ status: "nothing", withheld: ["b"] });
    expect(await keep({ a: [7] })).toEqual({ status: "nothing", withheld: ["a"] });
    const { digest } = await layer.difference();
    expect(await keep({ a: [1] })).toMatchObject({ status: "kept", changes: 1 });
    expect(await layer.keep({ digest, sections: all })).toMatchObject({ status: "changed" });
    expect([line(5), line(20), line(35)]).toEqual(["5", "twenty", "35"]);
    expect(lstatSync(join(folder, "a")).mode & 0o777).toBe(0o640);
    expect(await within(layer, folder, "sed -n '5p;20p;35p' a; cat b")).toBe("five\ntwenty\nthirty\nb\n");
    expect(await layer.conflicts()).toEqual([]);
    expect(await keep({ a: [0] })).toMatchObject({ status: "kept" });
    expect([line(5), line(20), line(35)]).toEqual(["five", "twenty", "35"]);
    expect(await layer.undo("000002")).toMatchObject({ status: "undone" });
    expect([line(5), line(20)]).toEqual(["5", "twenty"]);
    expect(await rest()).toEqual(["a", "b"]);
    expect(await keep({ a: [0, 1] })).toMatchObject({ status: "kept" });
    expect([line(5), line(20), line(35)]).toEqual(["five", "twenty", "thirty"]);
    expect(await rest()).toEqual(["b"]);
  });

  test("conflicts with what the person changed since", async () => {
    const folder = folderOf(numbered);
    const layer = await opened(folder, { engine });
    await within(layer, folder, person);
    const { digest } = await layer.difference();
    expect(await layer.keep({ digest, sections: all, parts: { a: [1] }, paths: [] })).toMatchObject({
      status: "kept",
    });
    appendFileSync(join(folder, "a"), "mine\n");
    const next = await layer.difference();
    const kept = await layer.keep({ digest: next.digest, sections: all });
    expect(kept).toEqual({
      status: "conflicts",
      conflicts: [{ path: "a", reason: "the person changed it" }],
    });
  });
});
