import { describe, expect, it } from "vitest";
import { importFileOf } from "../../src/modules/fresh-import.ts";
import { installed, workspace } from "../workspace.ts";

/** What an installed package with this source exports, beside what an import of it gives. */
async function exportsOf(source: string, more: object = {}) {
  const { path } = await workspace(installed("given", source, more));
  const file = path("node_modules/given/index.js");
  const given = await importFileOf(file).catch((error: unknown) => error);
  const imported = await import(/* @vite-ignore */ file).catch((error: unknown) => error);
  return { given, imported };
}

describe("a file of an installed package", () => {
  it.each([
    ["an ES module", "export const mount = () => {};", {}],
    ["one with a default export", "export default 1; export const mount = () => {};", {}],
    ["one that waits", "export const mount = await Promise.resolve(1);", {}],
    ["one of CommonJS", "exports.mount = () => {};", { type: "commonjs" }],
    ["one that throws", "throw new Error('it is broken');", {}],
    ["one that imports what is missing", "import './missing.js';", {}],
    ["one with a syntax error", "export const = 1;", {}],
  ])("is what an import gives: %s", async (_, source, more) => {
    const { given, imported } = await exportsOf(source, more);
    if (!(imported instanceof Error)) expect(given).toBe(imported);
    else expect(given).toMatchObject({ name: imported.name, message: imported.message });
  });

  it("runs once, also when it throws", async () => {
    const count = "globalThis.timesRun = (globalThis.timesRun ?? 0) + 1; throw new Error('it is broken');";
    const { given } = await exportsOf(count);
    expect(given).toMatchObject({ message: "it is broken" });
    expect((globalThis as { timesRun?: number }).timesRun).toBe(1);
  });
});
