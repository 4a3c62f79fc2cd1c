import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { data, defineTool, type Coordinator } from "@toolmount/core";
import type { Profile } from "@toolmount/core/validation";
import { checkToolModule, formatReport } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";
import { expect, test } from "vitest";
import { z } from "zod";

const usage = `read_note: reads one note

Arguments
- path (string, required): where it is.`;

const note = defineTool({
  name: "read_note",
  description: "Reads one note. Use when the user names one, not for folders.",
  usage,
  schema: z.strictObject({ path: z.string().describe("Where it is") }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: ({ path }) => data(path),
});

const module = {
  config: z.strictObject({ root: z.string().default(".") }),
  mount: async (coordinator: Coordinator, _config: { root: string }) => void coordinator.mount("tools", note),
};

describeToolModule(module, {
  title: "a module in its own suite",
  valid: { read_note: [{ path: "a.txt" }] },
  invalid: { read_note: [{}, { path: 7 }] },
});

test("a config that the module does not take is a failed mount", async () => {
  const { findings } = await checkToolModule(module, { config: { folder: "x" } });

  expect(findings.map(({ rule }) => rule)).toEqual(["protocol_compliance"]);
});

test("rules are data: a profile may bring its own, for tools of an origin, or for all", async () => {
  const rule = { id: "no_notes", severity: "error", why: "w", fix: "m" } as const;
  const strict: Profile = {
    name: "house",
    toolRules: [
      { ...rule, check: ({ name }) => (name.includes("note") ? [{ where: name, problem: "a note" }] : []) },
    ],
  };
  const other: Profile = { ...strict, name: "elsewhere", origin: "aptix" };
  const report = await checkToolModule(module, { profiles: [strict, other] });

  expect(report.verdicts.map(({ profile, passed }) => [profile, passed])).toEqual([
    ["core", true],
    ["house", false],
  ]);
  expect(formatReport(report)).toContain("error no_notes at read_note");
});

test("what is printed of a finding is visible", async () => {
  const hidden = {
    ...module,
    mount: async (c: Coordinator, _: unknown) =>
      void c.mount("tools", { ...note, description: `${note.description}\u202e` }),
  };
  const text = formatReport(await checkToolModule(hidden));

  expect(text).toContain("\\u{202e}");
  expect(text).not.toContain("\u202e");
});

test("AMP-N59: the checks run in a plain process, where no test runner is imported", async () => {
  const program = `
    const { checkToolModule } = await import(${JSON.stringify(import.meta.resolve("@toolmount/testing"))});
    const { findings } = await checkToolModule({ mount: 1 });
    const runners = process.getActiveResourcesInfo && Object.keys(globalThis).filter((name) => /vitest|jest/i.test(name));
    console.log(JSON.stringify([findings.map(({ rule }) => rule), runners]));
  `;
  const flags = ["-C", "@toolmount/source", "--input-type=module", "--eval", program];
  const { stdout } = await promisify(execFile)(process.execPath, flags, { env: {} });

  expect(JSON.parse(stdout)).toEqual([["mount_exists"], []]);
});
