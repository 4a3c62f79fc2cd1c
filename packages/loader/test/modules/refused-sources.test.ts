import { describe, expect, test } from "vitest";
import { readManifest } from "../../src/modules/manifest.ts";
import { isRemote, packageOf, readRemote, readSource } from "../../src/modules/source.ts";

const folder = "/plans";
const problemOf = (source: unknown, schemes?: readonly string[]) => {
  try {
    return readSource({ module: "label", source }, folder, schemes);
  } catch (error) {
    return (error as { details: { problem: string; source: string } }).details;
  }
};

const notNpm = "npm: is followed by a package and its version, such as npm:@acme/tools@^1";
const notPackage = "this is neither the name of a package nor a path";
const notRange = "the text after @ is not a version range; write one such as ^2 or 1.4.0";
const notGit = "the address of a repository begins with git+https://, git+ssh:// or git+file://";
const notAddress = "this is not the address of a repository";
const notRef = "the text after @ is not a branch, a tag or a commit";
const notFolder = "write subdirectory= and a folder of the repository after the #";
const network = (scheme: string) => `a plan cannot import ${scheme}: modules; name a package or a file`;

describe("a source that is refused says why", () => {
  test.each([
    ["http://a.example/x.js", network("http")],
    ["HTTPS://a.example/x.js", network("https")],
    ["data:text/javascript,1", network("data")],
    ["blob:x", network("blob")],
    ["javascript:x", network("javascript")],
    ["node:fs", network("node")],
    ["zip:x", "the scheme zip: is unknown; write npm:, file:, git+https: or a path"],
    ["npm:fs", "this is one of Node's own modules"],
    ["npm:fs@^1", "this is one of Node's own modules"],
    ["npm:", notNpm],
    ["npm:../x", notNpm],
    ["@acme", notPackage],
    ["a b", notPackage],
    ["x".repeat(215), notPackage],
    ["npm:weather@", notRange],
    ["npm:weather@ ", notRange],
    ["npm:weather@-x", notRange],
    [`npm:weather@${"1".repeat(129)}`, notRange],
    ["npm:weather@^1/..", notNpm],
    ["file://host/x", "this file: URL is not a path on this machine"],
    ["git://a.example/x", notGit],
    ["git+http://a.example/x", notGit],
    ["git+https://a.example", notAddress],
    ["git+https://a.example/../x", notAddress],
    ["git+https://a.example/x y", undefined],
    ["git+https://-a/x", notAddress],
    ["git+https://a:b/x", notAddress],
    [
      "git+https://token@a.example/x",
      "the address contains a name or a password; use git's credential helpers instead",
    ],
    ["git+https://a.example/x@a..b", notRef],
    ["git+https://a.example/x@-b", notRef],
    [`git+https://a.example/x@${"b".repeat(201)}`, notRef],
    ["git+https://a.example/x#path=y", notFolder],
    ["git+https://a.example/x#subdirectory=", notFolder],
    ["git+https://a.example/x#subdirectory=/y", notFolder],
    ["git+https://a.example/x#subdirectory=../y", notFolder],
    ["git+https://a.example/x#subdirectory=y/-z", notFolder],
  ])("%j", (source, problem) => {
    expect((problemOf(source) as { problem?: string }).problem).toBe(problem);
  });

  test("is shown with its first 200 characters", () => {
    expect(problemOf("x".repeat(215))).toMatchObject({ source: `${"x".repeat(200)}…` });
    expect(problemOf("a b")).toMatchObject({ source: "a b" });
    expect(problemOf(`git+https://a.example/${"?".repeat(300)}`)).toMatchObject({
      source: `git+https://a.example/${"?".repeat(178)}`,
    });
  });
});

describe("a source that is a map", () => {
  const known = (keys: string) =>
    `a source that is a map has one key, and its value is a map; the keys are: ${keys}`;

  test.each<[object, readonly string[], object]>([
    [
      { mcp: { url: "x" } },
      [],
      { kind: "scheme", scheme: "mcp", module: "@toolmount/mcp", settings: { url: "x" } },
    ],
    [{ vault: 7 }, ["vault"], { kind: "custom", written: "label", scheme: "vault", source: 7 }],
    [{ mcp: "x" }, [], { source: "label", problem: known("mcp") }],
    [{ mcp: {}, more: {} }, [], { source: "label", problem: known("mcp") }],
    [{}, ["vault"], { source: "label", problem: known("mcp, vault") }],
    [{ toString: {} }, [], { source: "label", problem: known("mcp") }],
    [{ vault: 7, more: 1 }, ["vault"], { source: "label", problem: known("mcp, vault") }],
  ])("%j of the schemes %j", (source, schemes, read) => {
    expect(problemOf(source, schemes)).toEqual(read);
  });
});

test("a scheme of the application gets what follows it", () => {
  expect(problemOf("Vault:a/b", ["vault"])).toEqual({
    kind: "custom",
    written: "Vault:a/b",
    scheme: "vault",
    source: "a/b",
  });
});

test.each([
  ["git+https://a.example/x.git", "x", { url: "https://a.example/x.git", ref: undefined, subdirectory: "" }],
  [
    "git+file:///srv/Mail Box@v1.2",
    "mail-box",
    { url: "file:///srv/Mail Box", ref: "v1.2", subdirectory: "" },
  ],
  [
    "git+ssh://git@a.example/x@v1#subdirectory=./b//c/",
    "c",
    { url: "ssh://git@a.example/x", ref: "v1", subdirectory: "b/c" },
  ],
  [`git+https://a.example/${"y".repeat(80)}`, "y".repeat(60), { ref: undefined }],
  ["git+https://a.example/~", "module", { url: "https://a.example/~" }],
])("the repository %s is known as %s", (source, name, from) => {
  expect(problemOf(source)).toMatchObject({
    kind: "fetched",
    from: { kind: "git", ...from },
    alias: expect.stringMatching(new RegExp(`^${name}-[0-9a-f]{10}$`)),
  });
});

test("two entries of one version are one package", () => {
  const [one, other] = ["npm:@acme/mail@^1/a/b", "npm:@acme/mail@^1/c"].map((source) => problemOf(source));

  expect(one).toMatchObject({ entry: "/a/b", from: { kind: "npm", name: "@acme/mail", range: "^1" } });
  expect((one as { alias: string }).alias).toBe((other as { alias: string }).alias);
});

test.each([
  ["npm:mail", true],
  ["git+https://a.example/x", true],
  ["mail", false],
  ["./npm:mail", false],
  ["github:x", false],
  [{ mcp: {} }, false],
])("%j is of a registry or a repository: %s", (source, expected) => {
  expect(isRemote(source)).toBe(expected);
});

test("a package is known by its name, and so is the name of one of its entries", () => {
  expect(["mail", "mail/a/b", "@acme/mail", "@acme/mail/a"].map(packageOf)).toEqual([
    "mail",
    "mail",
    "@acme/mail",
    "@acme/mail",
  ]);
  expect(readRemote("mail")).toEqual({ name: "@toolmount/tool-mail", entry: "", hasVersion: false });
});

describe("a manifest", () => {
  test("is read member by member, and one of a wrong type counts as absent", () => {
    const tool = { name: "t", description: "T." };
    expect(
      readManifest({
        type: "tool",
        mounts: ["tools", 1],
        static: true,
        config: { type: "object" },
        provides: ["a"],
        needs: ["b"],
        hooks: ["tool:pre"],
        context: ["c"],
        hostOnly: "it reads",
        tools: [tool, { name: "x" }, { description: "y" }, 7],
        more: 1,
      }),
    ).toEqual({
      type: "tool",
      mounts: ["tools"],
      static: true,
      config: { type: "object" },
      provides: ["a"],
      needs: ["b"],
      hooks: ["tool:pre"],
      context: ["c"],
      hostOnly: "it reads",
      tools: [tool],
    });
    const wrong = {
      type: 1,
      mounts: "tools",
      static: "yes",
      config: [],
      provides: {},
      needs: 1,
      hooks: [],
      context: [1],
    };
    expect(readManifest({ ...wrong, hostOnly: true, tools: {} })).toEqual({
      mounts: [],
      static: false,
      provides: [],
      needs: [],
    });
    expect([readManifest(undefined), readManifest("x"), readManifest([])]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
