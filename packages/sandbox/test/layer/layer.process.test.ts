import { spawnSync } from "node:child_process";
import { existsSync, linkSync, lstatSync, readFileSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import process, { getuid } from "node:process";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  bubblewrapArguments,
  findProgram,
  runInSandbox,
  systemCallFilter,
  wallMounts,
} from "../../src/index.ts";
import { env, folderOf, keepAll, look, opened, person, within } from "./layer-world.ts";

/** User namespaces are closed on some machines. Where continuous integration runs, they must be open. */
const hasNamespaces =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

const hasBubblewrap =
  process.env["CI"] !== undefined || spawnSync("bwrap", ["--version"]).error === undefined;

/** A tree with what is hard to keep: links, two names of one file, odd names, names that are no UTF-8, read-only entries, large and binary files. */
const tree = `
mkdir -p src/deep empty kept 'odd name' locked
echo one > src/one.txt; echo two > src/two.txt; echo deep > src/deep/file
seq 500000 > large.bin; printf '\\0\\1\\2' > binary
ln -s src/one.txt link; ln -s /absent dangling; echo twin > twin-a; ln twin-a twin-b
echo odd > 'odd name/a:b,c\\d'; echo é > $'odd name/\\303\\251'; echo q > $'odd name/line\\nbreak'
echo l > $'odd name/caf\\351'; mkdir $'d\\377'; echo i > $'d\\377/in'; echo f > $'\\200first'; ln -s $'t\\351' latin
echo p > $'\\364\\217\\277\\251 private'; echo r > $'\\357\\277\\275 replaced'
echo fixed > locked/file; chmod 444 locked/file; chmod 555 locked
echo x > run.sh; chmod 755 run.sh; mkfifo pipe; touch -d 2001-02-03 src kept empty src/one.txt .
`;

/** What programs do in a layer. */
const work = `
echo more >> src/one.txt; rm src/two.txt; rm -r src/deep; mkdir src/deep; echo again > src/deep/other
rm -r kept; echo 'a file' > kept; rm binary; mkdir binary; echo in > binary/in
mv 'odd name' 'new name'; echo large >> large.bin; ln -sfn src/deep link; rm dangling
echo sed > run.sh.tmp; mv run.sh.tmp run.sh; chmod 600 src/one.txt; chmod 700 src
mkdir -p a/b/c; echo new > a/b/c/new; ln a/b/c/new a/second; mkfifo a/pipe; chmod 4755 a/second
chmod 755 locked; rm -f locked/file; echo other > locked/other; chmod 555 locked; touch -d 2010-01-01 empty
echo more >> $'d\\377/in'; rm $'\\200first'; echo n > $'new\\351'; mkdir $'a\\376'; touch $'a\\376/\\375'; ln -sfn $'t\\350' latin
echo more >> $'\\364\\217\\277\\251 private'; echo more >> $'\\357\\277\\275 replaced'
`;

describe.runIf(hasNamespaces).each(["overlay", "copy"] as const)("a layer by %s", (engine) => {
  test("changes nothing before it is kept, and nothing when it is dropped", async () => {
    const folder = folderOf(tree);
    const before = look(folder, { inodes: true });
    const layer = await opened(folder, { engine });
    expect(layer.engine).toBe(engine);
    await within(layer, folder, work);
    expect(await within(layer, folder, "cat a/b/c/new; test ! -e dangling; cat src/deep/*")).toBe(
      "new\nagain\n",
    );
    expect(look(folder, { inodes: true })).toEqual(before);
    await layer.drop();
    expect(look(folder, { inodes: true })).toEqual(before);
    expect((await layer.difference()).changes).toEqual([]);
    expect(await within(layer, folder, "cat src/two.txt")).toBe("two\n");
  });

  test("is after a keep what programs without a layer would have left, and before it after an undo", async () => {
    const [folder, plain] = [folderOf(tree), folderOf(tree)];
    const before = look(folder, { inodes: true });
    const layer = await opened(folder, { engine });
    await within(layer, folder, work);
    const kept = await keepAll(layer);
    expect(kept).toMatchObject({ status: "kept", withheld: [] });
    person(plain, work);
    expect(withoutTimes(folder)).toEqual(withoutTimes(plain));
    expect((await layer.difference()).changes).toEqual([]);
    expect(await within(layer, folder, "cat src/one.txt run.sh")).toBe("one\nmore\nsed\n");
    expect(await layer.undo(layer.keeps()[0]!)).toMatchObject({ status: "undone" });
    expect(look(folder, { inodes: true })).toEqual(before);
    expect(await layer.undo("000001")).toEqual({ status: "unknown" });
    await within(layer, folder, "rm src/two.txt");
    expect(await keepAll(layer)).toMatchObject({ status: "kept", id: "000002" });
    await layer.forget("000002");
    expect(layer.keeps()).toEqual([]);
    expect(await layer.undo("000002")).toEqual({ status: "forgotten" });
    expect(await layer.undo("../keeps/000001")).toEqual({ status: "unknown" });
    person(folder, "echo two > src/two.txt");
    expect(await within(layer, folder, "cat src/one.txt src/two.txt")).toBe("one\ntwo\n");
  });

  test("keeps some changes, and the rest stays in the layer", async () => {
    const folder = folderOf(tree);
    const layer = await opened(folder, { engine });
    await within(
      layer,
      folder,
      `${work}\nmkdir .husky; echo evil > .husky/pre-commit; echo '{}' > package.json`,
    );
    const { digest, changes } = await layer.difference();
    const of = (section: string) =>
      changes.filter((each) => each.section === section).map(({ path }) => path);
    expect(of("obeyed")).toEqual([".husky", ".husky/pre-commit", "package.json"]);
    expect(of("deletions")).toContain("src/two.txt");
    const before = look(folder);
    const kept = await layer.keep({
      digest,
      sections: ["files"],
      paths: ["a/second", "run.sh", "src/two.txt"],
    });
    expect(kept).toMatchObject({ status: "kept", changes: 3 });
    const now = look(folder);
    const changed = Object.keys({ ...before, ...now }).filter((path) => before[path] !== now[path]);
    expect(changed).toEqual(["run.sh", "a", "a/second"]);
    // The name that stays in the layer is another file than the kept one.
    await within(layer, folder, "echo 'of the layer' > a/b/c/new; cat a/second");
    expect(readFileSync(join(folder, "a/second"), "utf8")).toBe("new\n");
    const rest = (await layer.difference()).changes.map(({ path }) => path);
    expect(rest).toEqual(changes.map(({ path }) => path).filter((path) => !changed.includes(path)));
    expect(await keepAll(layer)).toMatchObject({ status: "kept" });
    expect(existsSync(join(folder, ".husky/pre-commit"))).toBe(true);
    expect(readFileSync(join(folder, "a/b/c/new"), "utf8")).toBe("of the layer\n");
    expect(readFileSync(join(folder, "a/second"), "utf8")).toBe("new\n");
  });

  test("shows what was kept of a folder that programs made again, and not what they deleted in it", async () => {
    const folder = folderOf("mkdir -p d/sub; echo a > d/a; echo b > d/b; echo x > d/sub/x; echo y > d/sub/y");
    const layer = await opened(folder, { engine });
    await within(layer, folder, "rm -r d; mkdir -p d/sub; echo n > d/n; echo m > d/sub/m; echo a2 > d/a");
    const shown = "ls -R d; cat d/a d/n";
    const before = await within(layer, folder, shown);
    const { digest } = await layer.difference();
    const paths = ["d/n", "d/sub/x", "d/a"];
    expect(await layer.keep({ digest, sections: ["files", "deletions"], paths })).toMatchObject({
      changes: 3,
    });
    expect(await within(layer, folder, shown)).toBe(before);
    expect((await layer.difference()).changes.map(({ path }) => path)).toEqual(["d/b", "d/sub/m", "d/sub/y"]);
    expect(person(folder, "cat d/a d/n; ls d/sub")).toBe("a2\nn\ny\n");
    person(folder, "echo theirs > d/sub/x");
    expect(await within(layer, folder, "cat d/sub/x")).toBe("theirs\n");
  });

  test("leaves the times of folders in which it kept nothing", async () => {
    const folder = folderOf("mkdir -p d e; echo a > d/a; echo b > e/b");
    const layer = await opened(folder, { engine });
    person(folder, "touch -d 2001-02-03 e");
    const timesOf = () => person(folder, "stat -c %y . e");
    const before = timesOf();
    await within(layer, folder, "cat e/b; mkdir -p .toolmount/own; echo more >> d/a");
    expect(await keepAll(layer)).toMatchObject({ status: "kept", changes: 1 });
    await within(layer, folder, "echo other > d/b");
    expect(await keepAll(layer)).toMatchObject({ status: "kept", changes: 1 });
    expect(timesOf()).toBe(before);
  });

  test("the yes to files is no yes to deletions and to what the next command obeys", async () => {
    const folder = folderOf("echo a > a; echo b > b");
    const layer = await opened(folder, { engine });
    await within(layer, folder, "rm a; echo c > c; echo d > .envrc");
    const { digest } = await layer.difference();
    const none = await layer.keep({ digest, sections: ["repository"] });
    expect([none, layer.keeps()]).toEqual([{ status: "nothing", withheld: [] }, []]);
    expect(await layer.keep({ digest, sections: ["files"] })).toMatchObject({ status: "kept", changes: 1 });
    expect(Object.keys(look(folder))).toEqual(["a", "b", "c"]);
    expect((await layer.difference()).changes.map(({ path, section }) => [path, section])).toEqual([
      [".envrc", "obeyed"],
      ["a", "deletions"],
    ]);
  });

  test("a yes is void when the difference changed after it", async () => {
    const folder = folderOf("echo a > a");
    const layer = await opened(folder, { engine });
    await within(layer, folder, "echo b > b");
    const { digest } = await layer.difference();
    await within(layer, folder, "echo c > b");
    const result = await layer.keep({ digest, sections: ["files"] });
    expect(result).toMatchObject({ status: "changed", difference: { changes: [{ path: "b" }] } });
    expect(existsSync(join(folder, "b"))).toBe(false);
  });

  test("a person's change is shown to the next program, and a conflict changes nothing", async () => {
    const folder = folderOf(
      "mkdir d gone; echo a > a; echo b > b; echo x > d/x; echo y > gone/y; echo s > same; echo k > kind",
    );
    const layer = await opened(folder, { engine });
    await within(
      layer,
      folder,
      "cat a b d/x; echo mine > b; rm -r d; echo z >> gone/y; echo n > new; echo t > same; rm kind",
    );
    person(
      folder,
      "echo edited > a.tmp; mv a.tmp a; touch fresh; echo theirs > b; echo y > d/y; rm -r gone; echo theirs > new; echo t > same",
    );
    const before = look(folder, { inodes: true });
    const view = await layer.renew();
    expect(view.changedBelow).toEqual(expect.arrayContaining(["a", "fresh", "new"]));
    expect(await within(layer, folder, "cat a; ls fresh")).toBe("edited\nfresh\n");
    const { changes } = await layer.difference();
    expect(changes.map(({ path }) => path)).not.toContain("fresh");
    expect(await keepAll(layer)).toEqual({
      status: "conflicts",
      conflicts: [
        { path: "b", reason: "the person changed it" },
        { path: "d/y", reason: "the person changed it" },
        ...(engine === "copy" ? [] : [{ path: "gone", reason: "the person deleted it" }]),
        { path: "gone/y", reason: "the person deleted it" },
        { path: "new", reason: "the person changed it" },
      ],
    });
    expect(look(folder, { inodes: true })).toEqual(before);
  });

  test("a person's change below a folder that programs made again stays a conflict after a renewal", async () => {
    const folder = folderOf("mkdir d; echo a > d/a; echo b > d/b; echo c > c");
    const layer = await opened(folder, { engine });
    await within(layer, folder, "rm -r d; mkdir d; rm c");
    person(folder, "echo theirs > d/b; echo theirs > c; touch new");
    expect(await within(layer, folder, "ls; ls d")).toBe("d\nnew\n");
    await within(layer, folder, "echo more > e");
    expect(await keepAll(layer)).toMatchObject({ conflicts: [{ path: "c" }, { path: "d/b" }] });
    expect(person(folder, "cat d/* c")).toBe("a\ntheirs\ntheirs\n");
  });

  test("shows a file that the person put in the place of a folder", async () => {
    const folder = folderOf("mkdir -p d/e/f; echo a > d/e/f/a");
    const layer = await opened(folder, { engine });
    await within(layer, folder, "cat d/e/f/a");
    person(folder, "rm -r d/e; echo file > d/e");
    expect(await within(layer, folder, "cat d/e")).toBe("file\n");
    expect((await layer.difference()).changes).toEqual([]);
  });

  test("a change over one that the layer saw is no conflict", async () => {
    const folder = folderOf("echo a > a; echo b > b");
    const layer = await opened(folder, { engine });
    await within(layer, folder, "cat a; echo c > c");
    person(folder, "echo theirs > a.tmp; mv a.tmp a");
    await within(layer, folder, "grep -q theirs a; echo mine >> a");
    expect(await keepAll(layer)).toMatchObject({ status: "kept", changes: 2 });
    expect(readFileSync(join(folder, "a"), "utf8")).toBe("theirs\nmine\n");
  });

  test("a keep ends what runs in the layer, and an undo refuses what the person changed since", async () => {
    const folder = folderOf("echo a > a");
    const layer = await opened(folder, { engine });
    await within(
      layer,
      folder,
      "echo b > b; (while :; do echo x >> b; sleep 0.01; done) >/dev/null 2>&1 & echo",
    );
    expect((await layer.renew()).isCurrent).toBe(true);
    person(folder, "touch new");
    expect(await layer.renew()).toMatchObject({ isCurrent: false, changedBelow: ["new"] });
    const first = await keepAll(layer);
    expect(first.status).toMatch(/^(?:changed|kept)$/);
    if (first.status === "changed") expect(await keepAll(layer)).toMatchObject({ status: "kept" });
    const size = lstatSync(join(folder, "b")).size;
    await within(layer, folder, "sleep 0.1");
    expect(lstatSync(join(folder, "b")).size).toBe(size);
    person(folder, "echo more >> b");
    expect(await layer.undo(layer.keeps()[0]!)).toEqual({ status: "changed", paths: ["b"] });
  });

  test("waits in its folder for the next opening", async () => {
    const folder = folderOf("echo a > a; echo b > b");
    const first = await opened(folder, { engine });
    await within(first, folder, "rm a; echo c > c");
    await first.close();
    const again = await opened(folder);
    expect(again.engine).toBe(engine);
    expect(await within(again, folder, "ls")).toBe("b\nc\n");
    expect(await keepAll(again)).toMatchObject({ status: "kept", changes: 2 });
  });

  test.runIf(hasBubblewrap)(
    "programs behind the wall run as the host's user, and reach nothing but the layer",
    async () => {
      const folder = folderOf("echo a > a; echo plan > plan.yaml; mkdir d");
      // The machine's own /tmp does not exist behind the wall.
      const hard = `/var/tmp/${basename(folder)}.hard`;
      linkSync(join(folder, "a"), hard);
      onTestFinished(() => rmSync(hard));
      const temporary = folderOf("true");
      const before = look(folder, { inodes: true });
      const layer = await opened(folder, { engine });
      const bwrap = async (script: string) => {
        const denied = [join(folder, ".toolmount"), join(folder, "plan.yaml")];
        const mounts = wallMounts({ cwd: folder, write: [], denied, secret: [], read: [], temporary });
        const args = [...bubblewrapArguments({ cwd: folder, env }, mounts), "/bin/bash", "-c", script];
        const filter = systemCallFilter({ network: true });
        const entered = await layer.enter({ file: findProgram("bwrap", env.PATH)!, args, env, filter });
        return (await runInSandbox(entered.launch, { cwd: "/", timeoutMs: 60_000 })).stdout;
      };
      expect(await bwrap("pwd; id -u; echo b > b; rm -r d; cat b")).toBe(`${folder}\n${getuid!()}\nb\n`);
      for (const attempt of attempts(hard)) {
        const said = await bwrap(`if { ${attempt}; } 2>/dev/null; then echo done; else echo refused; fi`);
        expect([attempt, said]).toEqual([attempt, "refused\n"]);
      }
      expect(look(folder, { inodes: true })).toEqual(before);
      const { changes } = await layer.difference();
      expect(changes.map(({ path }) => path)).toEqual(["b", "d", "link"]);
    },
  );
});

/** What programs try to leave a layer, from inside its folder. */
function attempts(hard: string): readonly string[] {
  const own = ".toolmount/layers/s/changed";
  return [
    "echo x > plan.yaml",
    "rm plan.yaml",
    "mv plan.yaml other",
    "umount .",
    "umount -l /",
    `echo x > ${own}/x`,
    `rm -r .toolmount/layers/s/keeps .toolmount/layers/s/base.json`,
    `echo x > ${hard}`,
    `ln ${hard} hard`,
    `ln -s ${hard} link && echo x > link`,
    "mknod node c 1 3",
    "chmod 4755 a",
    "unshare --user true",
    "nsenter --mount --target 1 true",
    "mount --bind / .",
    "mount -t overlay overlay -o lowerdir=/,upperdir=b,workdir=b .",
  ];
}

/** Everything but the times, which differ by when the same work was done. */
function withoutTimes(folder: string): unknown {
  return Object.entries(look(folder)).map(([path, facts]) => [path, facts.replace(/^(\w+ \d+) \d+/, "$1")]);
}
