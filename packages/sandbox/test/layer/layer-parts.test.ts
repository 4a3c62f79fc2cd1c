import { describe, expect, test } from "vitest";
import { baseOf, laterBase, type Base } from "../../src/layer/base.ts";
import { chosenOf } from "../../src/layer/keep.ts";
import { textOf } from "../../src/system/process-usage.ts";
import type { LayerChange } from "../../src/layer/difference.ts";
import { gitPartOf, indexesIn, repositoryOf } from "../../src/layer/git.ts";
import type { Mark } from "../../src/system/mark.ts";

test.each([
  ["src/a", undefined],
  ["src/.gitignore", undefined],
  [".git/objects/ab/cdef0123", "object"],
  [".git/objects/pack/pack-1.idx", "object"],
  ["deep/.git/refs/heads/a/b", "ref"],
  [".git/HEAD", "ref"],
  [".git/packed-refs", "ref"],
  [".git/index", "index"],
  [".git/logs/HEAD", "note"],
  [".git/hooks/pre-commit.sample", "note"],
  [".git/index.lock", "lock"],
  [".git/refs/heads/main.lock", "lock"],
  // By these git decides what it reads and runs.
  [".git/config", "setting"],
  [".git/hooks/pre-commit", "setting"],
  [".git/info/attributes", "setting"],
  [".git/objects/info/alternates", "setting"],
  [".git/worktrees/a/gitdir", "setting"],
  [".git/modules/a", "setting"],
  [".git/modules/a/config", "setting"],
  [".git/modules/a/hooks/pre-commit", "setting"],
  [".git/modules/a/hooks/pre-commit.sample", "note"],
  [".git/modules/a/HEAD", "ref"],
  [".git/modules/libs/a/modules/b/refs/heads/main", "ref"],
  [".git/modules/libs/a/index", "index"],
  [".git/modules/a/index.lock", "lock"],
  [".git/modules/a/objects/ab/cdef", "object"],
  // Submodules named refs, a/refs, a/logs and a/objects/pack.
  [".git/modules/refs/HEAD", "ref"],
  [".git/modules/refs/config", "setting"],
  [".git/modules/a/refs/hooks/pre-commit", "setting"],
  [".git/modules/a/refs/config", "setting"],
  [".git/modules/a/logs/info/attributes", "setting"],
  [".git/modules/a/objects/pack/config", "setting"],
  [".git/modules/a/objects/pack/hooks/post-checkout", "setting"],
  [".git/something", "setting"],
  [".git", "setting"],
])("git takes %s for %s", (path, part) => {
  expect(gitPartOf(path)).toBe(part);
});

test("folders of a repository are part of it, but none that git obeys", () => {
  const folders = [".git", ".git/objects/ab", ".git/refs/heads", ".git/worktrees", ".git/hooks"];
  expect(folders.map((path) => gitPartOf(path, true))).toEqual(["note", "object", "note", "setting", "note"]);
});

test("repositories are found at any depth", () => {
  const files = [".git/index", "a/b/.git/index", ".git/modules/c/d/index", "x.git/index"];
  const listing = new Map([["", files]]);
  expect(indexesIn(listing)).toEqual(files.slice(0, 3));
  expect(files.slice(0, 3).map(repositoryOf)).toEqual(["", "a/b", ".git/modules/c/d"]);
});

const mark: Mark = { kind: "file", inode: "1", bytes: 1, modified: "1", changed: "1", mode: 0o644, names: 1 };

function change(path: string, more: Partial<LayerChange> = {}): LayerChange {
  return { path, kind: "write", section: "files", former: null, next: mark, ...more };
}

describe("a choice", () => {
  const changes = [
    change(".git/HEAD", { section: "repository" }),
    change("a", { kind: "folder" }),
    change("a/b", { kind: "folder" }),
    change("a/b/c"),
    change("gone", { kind: "delete", section: "deletions", former: mark, next: null }),
    change("was-a-file", { kind: "folder", section: "deletions", former: mark }),
    change("was-a-file/x"),
    change("z", { section: "obeyed" }),
  ];
  const difference = { digest: "d", changes, left: [] };
  const chosen = (sections: readonly LayerChange["section"][], paths?: readonly string[]) => {
    const found = chosenOf(difference, { digest: "d", sections, paths });
    return { paths: found.changes.map(({ path }) => path), withheld: found.withheld };
  };

  test("has what its sections have, and nothing of the others", () => {
    expect(chosen(["files"])).toEqual({ paths: ["a", "a/b", "a/b/c"], withheld: ["was-a-file/x"] });
    expect(chosen(["obeyed"])).toEqual({ paths: ["z"], withheld: [] });
    expect(chosen(["files", "deletions"]).withheld).toEqual([]);
    expect(chosen([])).toEqual({ paths: [], withheld: [] });
  });

  test("of paths has the new folders around them, and no path of a section without a yes", () => {
    expect(chosen(["files"], ["a/b/c", "gone", "z"]).paths).toEqual(["a", "a/b", "a/b/c"]);
    expect(chosen(["deletions"], ["gone"]).paths).toEqual(["gone"]);
  });

  test("of a repository has all of it", () => {
    expect(chosen(["repository"], []).paths).toEqual([".git/HEAD"]);
  });
});

describe("the base of a layer", () => {
  const base: Base = {
    since: 10n,
    listing: new Map([
      ["", ["a", "d"]],
      ["d", ["x"]],
    ]),
    refs: new Map([[".git/HEAD", "one"]]),
    staged: new Map([[".git/index", "first"]]),
    earlier: new Map(),
  };

  test("has the entries of the person when the view was mounted", () => {
    expect(baseOf(base, "d/x")).toEqual({ since: 10n, existed: true, ref: undefined });
    expect(baseOf(base, "d/y").existed).toBe(false);
    expect(baseOf(base, ".git/HEAD").ref).toBe("one");
  });

  test("keeps the moment of what the layer had changed when its view is mounted again", () => {
    const listing = new Map([["", ["a", "new"]]]);
    const now = {
      since: 20n,
      listing,
      refs: new Map([[".git/HEAD", "two"]]),
      staged: new Map([[".git/index", "other"]]),
    };
    const later = laterBase(base, now, ["d", "n", ".git/HEAD", ".git/index"]);
    expect(baseOf(later, "d/x")).toEqual({ since: 10n, existed: true, ref: undefined });
    expect(baseOf(later, "n")).toEqual({ since: 10n, existed: false, ref: undefined });
    expect(baseOf(later, "new")).toEqual({ since: 20n, existed: true, ref: undefined });
    expect(baseOf(later, ".git/HEAD").ref).toBe("one");
    expect(later.staged.get(".git/index")).toBe("first");
    expect(baseOf(laterBase(later, { ...now, since: 30n }, ["n"]), "n").since).toBe(10n);
    expect(baseOf(laterBase(later, { ...now, since: 30n }, []), "n").since).toBe(30n);
  });
});

test.each([
  [["sleep", "600"], "sleep 600"],
  [["bash", "--norc", "-c", "sleep 600; ls"], "sleep 600; ls"],
  [["/usr/bin/bwrap", "--chdir", "/a", "--", "bash", "--norc", "-c", "npm test"], "npm test"],
  [
    ["/bin/sh", "-c", 'cd "$0" && exec "$@"', "/a", "bwrap", "--dev", "/dev", "--", "node", "a.js"],
    "node a.js",
  ],
  [["bwrap", "--version"], "bwrap --version"],
  [[], ""],
])("the command line %j is shown as %j", (words, shown) => {
  expect(textOf(words)).toBe(shown);
});
