import { posix } from "node:path";
import { expect, test } from "vitest";
import { prepareRules, type PathSystem, type RootRules } from "../src/rules.ts";

/** A system with these links, in which every other path is its own place. */
const system: PathSystem = {
  path: posix,
  realpath(path) {
    if (path.startsWith("/gone")) throw new Error("ENOENT");
    return path.startsWith("/link") ? path.replace("/link", "/target") : path;
  },
  exists: (path) =>
    ["/work/bare/HEAD", "/work/bare/refs", "/work/half/HEAD", "/HEAD", "/refs"].includes(path),
};

const rules = prepareRules(
  {
    workingDir: "/work",
    read: ["/work", "/docs", "/link", "/secrets/open", "/gone/new"],
    write: ["/work", "/"].slice(0, 1),
    deniedRead: ["/work/private", "/link/no"],
    deniedWrite: ["/work/plan.yaml", "**/.git", "**/.hg/hooks", "**/*.lock", "**/a.b", "**/(HEAD,refs)"],
    secret: ["/secrets", "/work/.env"],
  },
  system,
);

test.each([
  ["/work", null],
  ["/work/a/b", null],
  ["/workshop", "read"],
  ["/docs/a", null],
  ["/", "read"],
  ["/target/a", null],
  ["/target/no/a", "denied"],
  ["/link/no", "denied"],
  ["/link/a", "read"],
  ["/work/private", "denied"],
  ["/work/PRIVATE/a", "denied"],
  ["/work/priva\u200dte/a", "denied"],
  ["/work/privates", null],
  ["/work/.env", "denied"],
  ["/work/.env/a", "denied"],
  ["/work/.envx", null],
  ["/secrets", "denied"],
  ["/secrets/a", "denied"],
  ["/secrets/open", null],
  ["/secrets/open/a", null],
  ["/secrets/opened", "denied"],
  ["/gone/new/a", null],
  ["/work/plan.yaml", null],
  ["/work/.git/config", null],
] as const)("reading %s: %s", (real, reason) => {
  expect(rules.objection(real, "read")).toBe(reason);
});

test.each([
  ["/work/a", null],
  ["/docs/a", "write"],
  ["/work/plan.yaml", "denied"],
  ["/work/Plan.yaml/a", "denied"],
  ["/work/plan.yaml2", null],
  ["/work/.git", "denied"],
  ["/work/a/.GIT/config", "denied"],
  ["/.git/a", "denied"],
  ["/work/x.git", null],
  ["/work/.gitx", null],
  ["/work/.hg/hooks", "denied"],
  ["/work/.hg/hooks/a", "denied"],
  ["/work/.hg\\hooks", "denied"],
  ["/work/.hg/other", null],
  ["/work/.hg", null],
  ["/work/a.lock", "denied"],
  ["/work/.lock/a", "denied"],
  ["/work/a.lockx", null],
  ["/work/alock", null],
  ["/work/bare/config", "denied"],
  ["/work/bare/hooks/a", "denied"],
  ["/work/bare", null],
  ["/work/barer/config", null],
  ["/work/half/refs", "denied"],
  ["/work/half/REFS/heads/a", "denied"],
  ["/work/half/HEAD", null],
  ["/work/half/a", null],
  ["/work/new/HEAD", null],
  ["/work/a.b", "denied"],
  ["/work/axb", null],
  ["/work/private/a", null],
  ["/secrets/a", "write"],
] as const)("writing %s: %s", (real, reason) => {
  expect(rules.objection(real, "write")).toBe(reason);
});

test.each([
  ["/work", true],
  ["/", true],
  ["/work/plan.yaml", true],
  ["/work/private", true],
  ["/WORK", true],
  ["/work/a", false],
  ["/work/a/.hg", true],
  ["/work/.hg/hooks", false],
  ["/work/.git", false],
  ["/secrets", true],
  ["/secrets/open", true],
  ["/secrets/a", false],
  ["/target", true],
  ["/link", true],
  ["/link/no", true],
  ["/target/no", true],
  ["/doc", false],
])("%s must not be moved or deleted: %s", (real, isKept) => {
  expect(rules.holdsRoot(real)).toBe(isKept);
});

test.each([
  ["/work/a", "read", true],
  ["/WORK/a", "read", true],
  ["/link/a", "read", true],
  ["/target/a", "read", true],
  ["/docs/a", "write", false],
  ["/other", "read", false],
  ["/workshop", "write", false],
] as const)("%s may lead inside for %s: %s", (path, access, may) => {
  expect(rules.mayLeadInside(path, access)).toBe(may);
});

test("with the root of the system as a root, everything is inside", () => {
  const all = prepareRules({ workingDir: "/", read: ["/"], write: ["/"] }, system);

  expect([
    all.objection("/a/b", "read"),
    all.objection("/", "write"),
    all.holdsRoot("/"),
    all.holdsRoot("/a"),
  ]).toEqual([null, null, true, false]);
  expect(all.workingDir).toBe("/");
});

test.each<[Partial<RootRules>]>([
  [{ workingDir: "x" }],
  [{ read: ["x"] }],
  [{ write: ["x"] }],
  [{ deniedRead: ["x"] }],
  [{ deniedWrite: ["x"] }],
  [{ secret: ["x"] }],
])("rules with %j are refused", (given) => {
  expect(() => prepareRules({ workingDir: "/", read: [], write: [], ...given }, system)).toThrow(
    new RangeError('root "x" is not absolute'),
  );
});
