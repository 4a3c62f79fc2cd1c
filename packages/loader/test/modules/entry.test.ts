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
