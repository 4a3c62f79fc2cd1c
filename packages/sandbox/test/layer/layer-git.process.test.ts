import { spawnSync } from "node:child_process";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { describe, expect, test } from "vitest";
import type { LayerChange } from "../../src/index.ts";
import { folderOf, keepAll, look, opened, person, within } from "./layer-world.ts";

const hasNamespaces =
  process.env["CI"] !== undefined ||
  spawnSync("unshare", ["--user", "--map-root-user", "--mount", "true"]).status === 0;

/** A repository with two branches and a change that is not staged. */
const repository = `
git init -q -b main .; echo one > a; echo two > b; mkdir src; echo three > src/c; echo .toolmount > .gitignore
git add -A; git commit -q -m first; git branch topic; echo more >> b; git commit -q -am second
`;

/** What a repository is, and that git finds nothing wrong in it. */
const state =
  "git fsck --strict --no-dangling 2>&1; git log --topo-order --oneline --all | cut -d' ' -f2-; git status --short; git stash list";

describe.runIf(hasNamespaces).each(["overlay", "copy"] as const)(
  "a repository in a layer by %s",
  (engine) => {
    test("gets the commits of a layer, though the person's git status wrote the index meanwhile", async () => {
      const folder = folderOf(repository);
      const layer = await opened(folder, { engine });
      await within(
        layer,
        folder,
        "echo four > src/d; rm a; git add -A; git commit -q -m third; echo five > src/e; git add src/e",
      );
      // Every editor does this.
      person(folder, "touch b src/c; git status --short; git update-index -q --refresh || true");
      expect(await keepAll(layer)).toMatchObject({ status: "kept" });
      expect(person(folder, state)).toBe("third\nsecond\nfirst\nA  src/e\n");
      expect(person(folder, "git diff --stat HEAD; git show --stat --format=%s HEAD | head -1")).toContain(
        "third",
      );
      person(folder, "git status --short");
      expect(await layer.undo(layer.keeps()[0]!)).toMatchObject({ status: "undone" });
      expect(person(folder, `${state}; cat a`)).toBe("second\nfirst\none\n");
      expect(await within(layer, folder, state)).toBe("second\nfirst\n");
    });

    test("with a submodule gets the commits of both, though the person's git status wrote both indexes", async () => {
      const other = folderOf("git init -q -b main .; echo s > s; git add s; git commit -q -m inner");
      const folder = folderOf(
        `${repository}git -c protocol.file.allow=always submodule add -q ${other} libs/sub; git commit -q -m third`,
      );
      const layer = await opened(folder, { engine });
      const both = `${state}; cd libs/sub; ${state}`;
      await within(
        layer,
        folder,
        "cd libs/sub; echo t > t; git add t; git commit -q -m outer; echo u > u; git add u; cd ../..; git commit -q -am fourth",
      );
      const inLayer = await within(layer, folder, both);
      expect(inLayer).toMatch(/^fourth\nthird[^]*outer\ninner\nA {2}u\n$/);
      person(folder, "touch b libs/sub/s; git status --short; cd libs/sub; touch s; git status --short");
      const { changes } = await layer.difference();
      const sections = Map.groupBy(changes, ({ section }) => section);
      expect([...sections.keys()].toSorted()).toEqual(["files", "repository"]);
      expect(sections.get("files")!.map(({ path }) => path)).toEqual(["libs/sub/t", "libs/sub/u"]);
      expect(await keepAll(layer)).toMatchObject({ status: "kept" });
      expect(person(folder, both)).toBe(inLayer);
      person(folder, "cd libs/sub; git status --short");
      expect(await layer.undo(layer.keeps()[0]!)).toMatchObject({ status: "undone" });
      expect(person(folder, both)).toBe("third\nsecond\nfirst\ninner\n");
    });

    test("a hard reset before any other git command writes only what differs", async () => {
      const folder = folderOf(
        `${repository}ln -s a link; git add link; git commit -q -m third; echo six > a`,
      );
      const layer = await opened(folder, { engine });
      await within(layer, folder, "git reset -q --hard");
      const { changes } = await layer.difference();
      expect(changes.filter(({ section }) => section !== "repository").map(({ path }) => path)).toEqual([
        "a",
      ]);
    });

    test("which folders the person ignores, also new ones, is no matter of the layer's own files", async () => {
      const folder = folderOf(`${repository}printf 'dist/\\nodd*\\n' >> .gitignore; mkdir .toolmount`);
      const layer = await opened(folder, { engine });
      await within(layer, folder, "mkdir -p dist/in odd-one; echo src/ > .gitignore");
      const ignored = (...folders: string[]) =>
        layer.ignored(folders.map((each) => ({ path: `${each}/file` }) as LayerChange));
      expect(await ignored("dist/in", "odd-one", "src", "é")).toEqual(["dist", "dist/in", "odd-one"]);
      expect(await ignored()).toEqual([]);
      expect(await ignored("src")).toEqual([]);
    });

    test("a git status in the layer is no change", async () => {
      const folder = folderOf(repository);
      const layer = await opened(folder, { engine });
      await within(layer, folder, "touch a b; git status --short; git update-index --refresh -q; git gc -q");
      const { changes } = await layer.difference();
      expect(changes.filter(({ path }) => path.endsWith("index"))).toEqual([]);
      expect(await keepAll(layer)).toMatchObject({ status: "kept" });
      expect(person(folder, state)).toBe("second\nfirst\n");
    });

    test("has no files for the person's git", async () => {
      const folder = folderOf("git init -q -b main .; echo a > a; git add a; git commit -q -m one");
      const layer = await opened(folder, { engine });
      await within(layer, folder, "echo b > b; git add b; git commit -q -m two; echo c > c");
      expect(person(folder, "git status --short; git add -A; git status --short; git clean -fdq")).toBe("");
      expect(await keepAll(layer)).toMatchObject({ status: "kept" });
      expect(person(folder, "git status --short; git log --format=%s")).toBe("?? c\ntwo\none\n");
    });

    test("gets the commits of a layer, though the person's git packed its objects and branches meanwhile", async () => {
      const folder = folderOf(`${repository}git tag v1; git branch feature/x`);
      const layer = await opened(folder, { engine });
      await within(
        layer,
        folder,
        "echo new > new; git add new; git commit -q -m third; git branch -f feature/x HEAD; git switch -q topic; git switch -q main",
      );
      person(folder, "git gc -q --prune=now; git pack-refs --all; ls .git/refs/heads");
      expect(await keepAll(layer)).toMatchObject({ status: "kept" });
      const named = "git rev-parse main feature/x | sort -u | wc -l; git log -1 --format=%s feature/x";
      expect(person(folder, `${state}; ${named}`)).toBe("third\nsecond\nfirst\n1\nthird\n");
      expect(await layer.undo(layer.keeps()[0]!)).toMatchObject({ status: "undone" });
      expect(person(folder, state)).toBe("second\nfirst\n");
      await within(layer, folder, "git branch -f topic HEAD");
      person(
        folder,
        "git switch -q topic; echo p > p; git add p; git commit -q -m mine; git switch -q main; git pack-refs --all",
      );
      const conflict = { status: "conflicts", conflicts: [{ path: ".git/refs/heads/topic" }] };
      expect(await keepAll(layer)).toMatchObject(conflict);
      await layer.renew();
      expect(await keepAll(layer)).toMatchObject(conflict);
    });

    test("does not lose what the person commits, stages or deletes meanwhile", async () => {
      const folder = folderOf(repository);
      const layer = await opened(folder, { engine });
      const conflictsOf = async () => {
        const result = await keepAll(layer);
        return result.status === "conflicts" ? result.conflicts.map(({ path }) => path) : [result.status];
      };
      await within(
        layer,
        folder,
        "echo layer > new; git add new; git commit -q -m layer; git branch -D topic -q",
      );
      person(folder, "echo person > other; git add other; git commit -q -m person");
      const before = look(folder, { inodes: true });
      expect(await conflictsOf()).toEqual([".git/index", ".git/refs/heads/main"]);
      expect(look(folder, { inodes: true })).toEqual(before);
      expect(person(folder, state)).toBe("person\nsecond\nfirst\n");
      await layer.drop();
      await within(layer, folder, "echo layer > new; git add new");
      person(folder, "echo staged > c; git add c");
      expect(await conflictsOf()).toEqual([".git/index"]);
      person(folder, "git rm -q --cached c; rm c");
      expect(await conflictsOf()).toEqual(["kept"]);
      expect(person(folder, "git status --short")).toBe("A  new\n");
    });

    test("keeps its history as one, and what git obeys by a yes of its own", async () => {
      const folder = folderOf(repository);
      const layer = await opened(folder, { engine });
      await within(
        layer,
        folder,
        "git config core.pager evil; echo evil > .git/hooks/post-commit; git switch -q -c own; echo x > x; git add x; git commit -q -m own",
      );
      const { digest, changes } = await layer.difference();
      const obeyed = changes.filter(({ section }) => section === "obeyed").map(({ path }) => path);
      expect(obeyed).toEqual([".git/config", ".git/hooks/post-commit"]);
      expect(await layer.keep({ digest, sections: ["files", "repository"] })).toMatchObject({
        status: "kept",
      });
      expect(
        person(folder, "git config core.pager || true; ls .git/hooks/post-commit 2>&1 || true"),
      ).toContain("No such file");
      expect(person(folder, `git branch --show-current; ${state}`)).toBe("own\nown\nsecond\nfirst\n");
      expect((await layer.difference()).changes.map(({ path }) => path)).toEqual(obeyed);
    });

    test("a keep waits for a git command of the person", async () => {
      const folder = folderOf(repository);
      const layer = await opened(folder, { engine });
      await within(layer, folder, "echo x > x; git add x; git commit -q -m x");
      const lock = join(folder, ".git/index.lock");
      writeFileSync(lock, "");
      const kept = keepAll(layer);
      rmSync(lock);
      expect(await kept).toMatchObject({ status: "kept" });
      expect(existsSync(lock)).toBe(false);
      expect(person(folder, state)).toBe("x\nsecond\nfirst\n");
    });

    test("rebase, reset, stash and a packed history leave a sound repository", async () => {
      const folder = folderOf(repository);
      const layer = await opened(folder, { engine });
      const work =
        "git switch -q topic; echo t > t; git add t; git commit -q -m topic; git rebase -q main; git switch -q main; git merge -q topic; echo s >> a; git stash -q; git gc -q --prune=now; git reset -q --hard HEAD~1; rm -r src; git checkout -q -- src";
      await within(layer, folder, work);
      const inside = await within(layer, folder, state);
      expect(await keepAll(layer)).toMatchObject({ status: "kept" });
      expect(person(folder, state)).toBe(inside);
      person(folder, "git status --short");
      expect(await layer.undo(layer.keeps()[0]!)).toMatchObject({ status: "undone" });
      expect(
        person(
          folder,
          `git stash list; git fsck --strict --no-dangling 2>&1 | grep -v dangling || true; git log --topo-order --oneline --all | cut -d' ' -f2-; git status --short`,
        ),
      ).toBe("second\nfirst\n");
    });
  },
);
