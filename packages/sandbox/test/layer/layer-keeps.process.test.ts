import { spawnSync } from "node:child_process";
import { appendFileSync, lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layersIn } from "../../src/index.ts";
import { forgetLargeKeeps, forgetOldKeeps, keptBytesOf } from "../../src/layer/place.ts";
import type { Layer } from "../../src/layer/layer.ts";
import { env, folderOf, keepAll, opened, within } from "./layer-world.ts";

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
    forgetLargeKeeps(at, 500_000);
    expect(layer.keeps()).toEqual(["000002", "000003"]);
    forgetLargeKeeps(at, 1);
    expect(layer.keeps()).toEqual(["000003"]);
    expect(await layer.undo("000003")).toMatchObject({ status: "undone" });
    expect(await layer.undo("000001")).toEqual({ status: "forgotten" });
    expect(await layer.undo("000003")).toEqual({ status: "unknown" });
    await keep("echo later >> b");
    expect(layer.keeps()).toEqual(["000004"]);
    expect(keptBytesOf(at.place)).toBe(layer.keptBytes());
    await keep("echo last >> b");
    forgetLargeKeeps(at, 1);
    expect(layer.keeps()).toEqual(["000005"]);
  });

  test("are forgotten when they are old, also those of other sessions, but none that was not finished", async () => {
    const folder = folderOf("echo a > a; echo b > b");
    const layers = join(folder, ".toolmount/layers");
    const kept = async (name: string) => {
      const layer = await opened(folder, { name });
      await within(layer, folder, `echo more >> ${name}`);
      expect(await keepAll(layer)).toMatchObject({ status: "kept" });
      return layer;
    };
    const [first, second] = [await kept("a"), await kept("b")];
    const at = { folder, place: join(layers, "a"), env };
    forgetOldKeeps(at, layers);
    expect([first.keeps(), second.keeps()]).toEqual([["000001"], ["000001"]]);
    const done = join(layers, "b/keeps/000001/done");
    const text = readFileSync(done, "utf8");
    rmSync(done);
    forgetOldKeeps(at, layers, { seconds: 0, bytes: 0 });
    writeFileSync(done, text);
    expect([first.keeps(), second.keeps()]).toEqual([[], ["000001"]]);
    expect(await first.undo("000001")).toEqual({ status: "forgotten" });
    expect(await second.undo("000001")).toMatchObject({ status: "undone" });
  });
});

describe.runIf(hasLayer).each(["overlay", "copy"] as const)("a layer that is closed, by %s", (engine) => {
  const left = (folder: string) =>
    readdirSync(join(folder, ".toolmount/layers")).filter((name) => !name.startsWith("."));

  test("is on the disk as long as something waits, or a keep can be undone", async () => {
    const folder = folderOf("echo a > a; mkdir d; echo b > d/b");
    const reopened = () => opened(folder, { engine });
    const used = async (script: string, act: (layer: Layer) => Promise<unknown>) => {
      const layer = await reopened();
      await within(layer, folder, script);
      await act(layer);
      await layer.close();
    };
    await used("cat a d/b; echo c > c; rm c", async () => {});
    expect(left(folder)).toEqual([]);
    for (const script of ["echo more >> a", "rm d/b", "mkdir e", "chmod 700 d"]) {
      await used(script, async () => {});
      expect(left(folder)).toEqual(["s"]);
      await used("true", async (layer) => {
        expect((await layer.difference()).changes).toHaveLength(1);
        await layer.drop();
      });
      expect(left(folder)).toEqual([]);
    }
    await used("echo more >> a", keepAll);
    expect(left(folder)).toEqual(["s"]);
    expect(layersIn(folder)).toEqual([]);
    const layer = await reopened();
    expect(await layer.undo("000001")).toMatchObject({ status: "undone" });
  });

  test("can be opened at once by many: one has it", async () => {
    const folder = folderOf("echo a > a");
    let open = 0;
    let most = 0;
    const visit = async () => {
      for (let round = 0; round < 8; round += 1) {
        const layer = await opened(folder, { engine });
        most = Math.max(most, ++open);
        await within(layer, folder, "cat a");
        open -= 1;
        await layer.close();
      }
    };
    await Promise.all([visit(), visit(), visit()]);
    expect(most).toBe(1);
    expect(left(folder)).toEqual([]);
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
