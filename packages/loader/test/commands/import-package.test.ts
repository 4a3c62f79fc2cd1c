import { expect, test } from "vitest";
import { importPackage } from "../../src/commands/index.ts";
import { workspace } from "../workspace.ts";

const source = "export const mount = () => undefined;\n";

test("a folder is imported with its package.json and the manifest in it", async () => {
  const json = { name: "greeter", type: "module", exports: "./main.js", toolmount: { type: "tool" } };
  const { folder, path } = await workspace({
    "greeter/package.json": JSON.stringify(json),
    "greeter/main.js": source,
  });
  const found = await importPackage("./greeter", { cwd: folder });

  expect(found).toMatchObject({ folder: path("greeter"), json, manifest: { type: "tool" } });
  expect(found.url.endsWith("/greeter/main.js")).toBe(true);
  expect(found.exports).toMatchObject({ mount: expect.any(Function) });
});

test("a file is imported with the folder that it is in, and without that folder's package.json", async () => {
  const { folder, path } = await workspace({
    "greeter/package.json": '{ "type": "module", "toolmount": { "type": "tool" } }',
    "greeter/main.js": source,
  });

  expect(await importPackage("greeter/main.js", { cwd: folder })).toMatchObject({
    folder: path("greeter"),
    json: null,
    manifest: null,
  });
});

test.each(["null", "undefined", "'a text'", "7", "{}"])(
  "a module that throws %s while it is imported is reported as one that cannot be imported",
  async (thrown) => {
    const { folder } = await workspace({ "bad.js": `throw ${thrown};\n` });

    await expect(importPackage("./bad.js", { cwd: folder })).rejects.toMatchObject({
      code: "MODULE_IMPORT_FAILED",
    });
  },
);
