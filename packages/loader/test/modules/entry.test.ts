import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolveModulePath } from "exsolve";
import { describe, expect, it } from "vitest";
import { resolveSource } from "../../src/modules/resolve.ts";

const forms: Readonly<Record<string, unknown>> = {
  "a path": "./a.js",
  "a path below `.`": { ".": "./a.js" },
  conditions: { types: "./a.d.ts", default: "./a.js" },
  "conditions below `.`, in the order of the file": {
    ".": { node: "./b.js", toolmount: "./a.js", default: "./a.js" },
  },
  "a condition of toolmount": { ".": { toolmount: "./b.js", default: "./a.js" } },
  "a condition that no program sets": { ".": { browser: "./b.js", default: "./a.js" } },
  "conditions in conditions": { ".": { import: { browser: "./a.js", default: "./b.js" } } },
  "a null before the default": { ".": { node: null, default: "./a.js" } },
  "a list": { ".": ["./a.js", "./b.js"] },
  "only subpaths": { "./a": "./a.js" },
  "a file in a folder": { ".": "./lib/c.js" },
  "a file that does not exist": { ".": "./none.js" },
  "a folder": { ".": "./lib" },
  "a path out of the package": { ".": "../other/a.js" },
  "a path out of the package, hidden": { ".": "./lib/../../other/a.js" },
  "a path into node_modules": { ".": "./node_modules/x/a.js" },
  "an escaped path": { ".": "./lib%2fc.js" },
  "a file with a space": { ".": "./with space.js" },
};

describe("the entry file of an installed package", () => {
  it.each(Object.entries(forms))("%s is found as by the rules of Node", async (_, exports) => {
    const folder = install(exports);
    const conditions = ["toolmount", "node", "import"];
    const options = { cache: false, conditions, from: `${folder}/`, try: true };
    const byTheRules = resolveModulePath("given", options);
    const lookup = { folder, given: {}, conditions: [] };
    const found = resolveSource({ kind: "package", written: "given", names: ["given"] }, lookup);
    if (byTheRules === undefined) await expect(found).rejects.toMatchObject({ code: "MODULE_IMPORT_FAILED" });
    else await expect(found).resolves.toMatchObject({ path: realpathSync(byTheRules) });
  });
});

/** A folder in which a package with these `exports` is installed by a link, as pnpm does. */
function install(exports: unknown): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-entry-")));
  const home = join(folder, "store/given");
  for (const path of ["lib", "node_modules/x"]) mkdirSync(join(home, path), { recursive: true });
  for (const file of ["a.js", "b.js", "lib/c.js", "with space.js", "node_modules/x/a.js"])
    writeFileSync(join(home, file), "");
  writeFileSync(join(home, "package.json"), JSON.stringify({ name: "given", type: "module", exports }));
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(home, join(folder, "node_modules/given"));
  return folder;
}

describe("a package that cannot be entered", () => {
  const find = (folder: string) =>
    resolveSource(
      { kind: "package", written: "given", names: ["given"] },
      { folder, given: {}, conditions: [] },
    );
  const manifestOf = (folder: string) => join(folder, "store/given/package.json");

  it("with a byte order mark in its package.json is found", async () => {
    const folder = install("./a.js");
    writeFileSync(manifestOf(folder), `\ufeff${JSON.stringify({ name: "given", exports: "./a.js" })}`);

    await expect(find(folder)).resolves.toMatchObject({ path: join(folder, "store/given/a.js") });
  });

  it.each(["{", "[]", ""])("with a package.json of %j is broken, not missing", async (text) => {
    const folder = install("./a.js");
    writeFileSync(manifestOf(folder), text);
    const problem = expect.stringContaining("package.json is not JSON") as string;

    await expect(find(folder)).rejects.toMatchObject({ code: "MODULE_IMPORT_FAILED", details: { problem } });
  });

  it.each([[{ require: "./a.js" }], [{ ".": { types: "./a.d.ts", require: "./a.js" } }]])(
    "with exports of %j has a file for require only",
    async (exports) => {
      const problem = expect.stringContaining("for require only") as string;

      await expect(find(install(exports))).rejects.toMatchObject({ details: { problem } });
    },
  );

  it("of links in a circle is said to be so", async () => {
    const folder = install("./a.js");
    symlinkSync("two", join(folder, "one"));
    symlinkSync("one", join(folder, "two"));
    const source = { kind: "path", written: "./one", path: join(folder, "one") } as const;
    const problem = expect.stringContaining("lead in a circle") as string;

    await expect(resolveSource(source, { folder, given: {}, conditions: [] })).rejects.toMatchObject({
      details: { problem },
    });
  });
});
