import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { layersIn } from "../../src/index.ts";
import { openLayer } from "../../src/layer/layer.ts";
import { env, folderOf, opened, within } from "./layer-world.ts";

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
const hasLayer =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

describe.runIf(hasLayer)("a layer shows", () => {
  test("both sides of each change, and follows no link out of itself", async () => {
    const folder = folderOf(
      "mkdir d; echo one > a; printf 'a\\0b' > b; echo x > d/x; ln -s /etc e; echo two > gone",
    );
    const layer = await opened(folder);
    await within(
      layer,
      folder,
      "echo more >> a; echo c >> b; rm -r d gone; ln -s a link; rm e; mkdir e; echo own > e/passwd",
    );
    const { changes } = await layer.difference();
    const texts = Object.fromEntries(changes.map((change) => [change.path, layer.texts(change)]));
    expect(texts).toEqual({
      a: { before: "one\n", after: "one\nmore\n" },
      b: { before: undefined, after: undefined },
      d: { before: "x\n", after: "" },
      e: { before: "link to /etc\n", after: "" },
      "e/passwd": { before: undefined, after: "own\n" },
      gone: { before: "two\n", after: "" },
      link: { before: "", after: "link to a\n" },
    });
    // What was a file when it was listed is a way out now.
    await within(layer, folder, "rm -r e; ln -s /etc e");
    const passwd = changes.find(({ path }) => path === "e/passwd")!;
    expect(layer.texts(passwd).after).toBeUndefined();
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("one\n");
  });

  test.each(["overlay", "copy"] as const)(
    "what only got another name, and nothing else, by %s",
    async (engine) => {
      const folder = folderOf(`
mkdir -p src/in empty other; echo one > src/in/a; echo two > src/b; echo three > c; echo four > d; echo five > e; : > f
echo 12345 > g; echo same > h; mkdir -p part/in; echo six > part/a; echo seven > part/in/b; echo eight > part/c; chmod 600 src/b; touch -d 2020-01-01 g
`);
      const layer = await opened(folder, { engine });
      await within(
        layer,
        folder,
        `
mv src lib; mv c C; mv d other/d; echo more >> other/d; mv e e2; chmod 700 e2; mv f f2; mv empty empty2
rm g; echo 54321 > forged; touch -d 2020-01-01 forged; mv h h2; ln h2 h3
mv part parts; rm parts/c; mv parts/in inside
`,
      );
      const { changes } = await layer.difference();
      const moved = [
        ["c", "C"],
        ["h", "h2"],
        ["part/a", "parts/a"],
        ["part/in", "inside"],
        ["part/in/b", "inside/b"],
        ["src", "lib"],
        ["src/b", "lib/b"],
        ["src/in", "lib/in"],
        ["src/in/a", "lib/in/a"],
      ] as const;
      const both = new Map(moved.flatMap(([from, to]) => [[from, to] as const, [to, from] as const]));
      expect(layer.moves(changes)).toEqual(both);
      await layer.drop();
      expect(layer.moves((await layer.difference()).changes)).toEqual(new Map());
    },
  );

  test("which commands run in it", async () => {
    const folder = folderOf("echo one > a");
    const layer = await opened(folder);
    expect(await layer.running()).toEqual([]);
    await within(layer, folder, "exec >&- 2>&-; (setsid sleep 603 &)");
    await expect.poll(() => layer.running()).toEqual(["sleep 603"]);
    await layer.drop();
    expect(await layer.running()).toEqual([]);
  });
});

describe.runIf(hasLayer)("a layer that another process wants", () => {
  test("is asked for, and opened there when this one closes it", async () => {
    const folder = folderOf("echo one > a");
    const given = { folder, name: "s", env, obeyed: [], owner: "user:s" };
    let wanted = 0;
    const first = await openLayer({ ...given, onWanted: () => void ((wanted += 1), close()) });
    if ("problem" in first) throw new Error(first.problem);
    const close = () => first.close();
    await within(first, folder, "echo more >> a");
    expect(layersIn(folder)).toEqual([{ name: "s", owner: "user:s" }]);
    const second = await opened(folder, given);
    expect(wanted).toBe(1);
    expect((await second.difference()).changes.map(({ path }) => path)).toEqual(["a"]);
    await second.drop();
    expect(layersIn(folder)).toEqual([]);
  });
});
