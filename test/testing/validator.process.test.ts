import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { amplifierProfile, aptixProfile, forgeProfile, mount } from "@toolmount/interop";
import {
  checkToolModule,
  coreProfile,
  createWorkspace,
  formatReport,
  type CheckOptions,
} from "@toolmount/testing";
import { afterEach, describe, expect, test } from "vitest";
import { faultyModules, leftBehind } from "../support/faulty-modules.ts";
import { goodModules } from "../support/good-modules.ts";

const profiles = [aptixProfile, amplifierProfile, forgeProfile];
const everything: CheckOptions = { profiles, extensions: [{ mount }] };

afterEach(() => {
  for (const end of leftBehind.splice(0)) end();
});

/** By fault: the whole report of a module with it. Those of other profiles are in test/interop. */
const reports = new Map(
  readFileSync(join(import.meta.dirname, "validator-reports.txt"), "utf8")
    .trim()
    .split("\n\n")
    .map((group) => [group.slice(2, group.indexOf("\n")), group.slice(group.indexOf("\n") + 1)]),
);

describe("AMP-N55, AMP-N57, APTIX-19: each fault is caught by exactly its rule", () => {
  test.each(faultyModules)(
    "$fault: $rule",
    async ({ fault, module, rule, profile = "core", severity = "error", ...options }) => {
      const report = await checkToolModule(module, { ...everything, ...options });

      if (profile === "core") expect(formatReport(report)).toBe(reports.get(fault));
      expect([...new Set(report.findings.map((finding) => finding.rule))], formatReport(report)).toEqual([
        rule,
      ]);
      expect(report.findings[0]).toMatchObject({ profile, severity });
      expect(report.passed).toBe(severity === "warning");
    },
  );
});

describe("AMP-N55, AMP-N58: a module without a fault has no finding", () => {
  test.each(goodModules)("$title", async ({ module, title: _, ...options }) => {
    const report = await checkToolModule(module, { ...everything, ...options });

    expect(report.findings, formatReport(report)).toEqual([]);
    expect(report.passed).toBe(true);
    expect(report.checks).toBeGreaterThan(10);
  });
});

test("APTIX-84, AMP-N56: there is one verdict a profile; warnings do not fail; the last line counts", async () => {
  const faulty = faultyModules.find(({ rule }) => rule === "usage_internals")!;
  const report = await checkToolModule(faulty.module, everything);

  expect(report.verdicts.map(({ profile, passed }) => [profile, passed])).toEqual([
    ["core", true],
    ["aptix", true],
  ]);
  expect(formatReport(report).split("\n").at(-1)).toMatch(/^\d+ checks, 0 errors, 1 warnings$/);
});

/** Rows of the contract that a rule holds, on a module that breaks exactly it. */
const rowsOfRules = [
  { title: "APTIX-53: parameters of a simple type", rule: "parameter_types" },
  { title: "APTIX-54: parameters with a description", rule: "parameter_descriptions" },
  { title: "APTIX-56, APTIX-70, APTIX-74, APTIX-76: usage in step with the schema", rule: "usage_in_step" },
  { title: "APTIX-62: a stated purpose", rule: "usage_purpose" },
  { title: "APTIX-60, APTIX-63: when to use", rule: "usage_when" },
  { title: "APTIX-63: when not to use", rule: "usage_when_not" },
  { title: "APTIX-64: how to construct arguments", rule: "usage_arguments" },
  { title: "APTIX-66: known errors", rule: "usage_errors" },
  { title: "APTIX-67: good and bad examples", rule: "usage_examples" },
  { title: "APTIX-68: concise text", rule: "usage_length" },
  { title: "APTIX-69: nothing of one machine", rule: "usage_environment" },
  { title: "APTIX-69: no secret", rule: "text_secret" },
  { title: "APTIX-71: nothing of the code", rule: "usage_internals" },
  { title: "APTIX-57, AMP-9: a description that says when to call", rule: "description_when" },
  { title: "APTIX-N28: names without dots", rule: "name_grammar" },
  { title: "APTIX-16, AMP-8, FORGE-2: names in lower snake case", rule: "name_snake_case" },
  { title: "FORGE-3: names of a verb and a noun", rule: "name_verb_noun" },
  { title: "FORGE-4, FORGE-N1: the description contract", rule: "description_contract" },
  { title: "FORGE-12, FORGE-N11: a version", rule: "version_present" },
  { title: "FORGE-N12: a status", rule: "status_present" },
  { title: "FORGE-30, FORGE-31: the signal looked at first", rule: "abort_checked_first" },
  { title: "APTIX-51: no throw on cancellation", rule: "cancellation" },
  { title: "APTIX-24, APTIX-27: blank arguments answered", rule: "blank_arguments" },
  { title: "AMP-N58: an empty input answered", rule: "empty_input" },
];

test.each(rowsOfRules)("$title is held by the rule $rule", async ({ rule }) => {
  const faulty = faultyModules.filter((one) => one.rule === rule);
  expect(faulty).not.toEqual([]);
  for (const { module, valid, invalid, partial, manifest } of faulty) {
    const { findings } = await checkToolModule(module, { ...everything, valid, invalid, partial, manifest });
    expect(new Set(findings.map((finding) => finding.rule))).toEqual(new Set([rule]));
  }
});

test("every rule of every profile is shown by a planted fault, so that none is one which cannot find anything", () => {
  const shown = new Set(faultyModules.map(({ rule, profile = "core" }) => `${profile} ${rule}`));
  const rules = [coreProfile, ...profiles].flatMap(({ name, moduleRules = [], toolRules = [] }) =>
    [...moduleRules, ...toolRules].map(({ id }) => `${name} ${id}`),
  );

  expect(rules.filter((rule) => !shown.has(rule))).toEqual([]);
});

test("every finding has a rule, where, why and how to fix it", async () => {
  for (const { module, rule: _, profile: __, severity: ___, ...options } of faultyModules.slice(0, 12)) {
    const { findings } = await checkToolModule(module, { ...everything, ...options });

    for (const { rule, where, why, fix } of findings)
      for (const text of [rule, where, why, fix]) expect(text).not.toBe("");
  }
});

test("rules have different ids within a profile", () => {
  for (const { toolRules = [] } of profiles) {
    const ids = toolRules.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  }
});

test("APTIX-55, C9: definitions are read in two fresh processes; what changes from one to the next is found", async () => {
  await using workspace = await createWorkspace({
    "package.json": '{"type":"module"}',
    "stable.js": moduleText("1"),
    "random.js": moduleText("Math.random()"),
  });
  const urlOf = (name: string) => pathToFileURL(workspace.path(name)).href;
  const check = async (name: string) => {
    const url = urlOf(name);
    const text = await workspace.read(name);
    const module = (await import(`data:text/javascript,${encodeURIComponent(text)}`)) as Record<
      string,
      unknown
    >;
    return checkToolModule(module, {
      ...everything,
      url,
      extensionUrls: [import.meta.resolve("@toolmount/interop")],
    });
  };

  expect((await check("stable.js")).findings).toEqual([]);
  expect((await check("random.js")).findings.map(({ rule }) => rule)).toEqual([
    "definition_stable",
    "definition_stable",
  ]);
});

/** A module whose schema is made once a process. */
function moduleText(made: string): string {
  return `
    const schema = { type: "object", properties: { text: { type: "string", default: "" + ${made} } } };
    const execute = async (input) => ({ success: true, output: String(input.text), error: null });
    export async function mount(coordinator, config) {
      coordinator.mount("tools", { name: "echo_text", description: "Returns its text.", input_schema: schema, execute });
    }`;
}
