import { createHost, defineTool, data, type ToolInfo } from "@toolmount/core";
import type { ModuleSubject, ToolSubject, TrialCall } from "@toolmount/core/validation";
import { coreProfile } from "@toolmount/testing";
import { expect } from "vitest";
import { z } from "zod";

const host = createHost();
host.coordinator.mount(
  "tools",
  defineTool({
    name: "read_note",
    description: "Reads one note. Use when the user names one, not for folders.",
    schema: z.strictObject({ path: z.string().describe("Where it is") }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: ({ path }) => data(path),
  }),
);
const [listed] = host.tools();

/** A tool as a host lists it. */
export function infoWith(members: Partial<ToolInfo> = {}): ToolInfo {
  return { ...listed!, ...members, ...(members.name === undefined ? {} : { declaredName: members.name }) };
}

/** A tool that a module mounted without a problem, but for these members of its list. */
export function toolWith(members: Partial<ToolInfo> = {}, others: Partial<ToolSubject> = {}): ToolSubject {
  const info = infoWith(members);
  const plain = { thing: {}, name: info.name, refused: null, refusedBy: null, calls: [], sample: null };
  return { ...plain, saysOmissions: true, isHarmless: true, info, ...others };
}

/** A module that was mounted without a problem, but for these members. */
export function moduleWith(members: Partial<ModuleSubject>): ModuleSubject {
  const empty = {
    sideEffects: [],
    leaks: [],
    cleanupFailures: [],
    ignoredCancel: [],
    repeats: [],
    tools: [],
  };
  const mounted = { exports: { mount() {} }, failure: null, returned: undefined, manifest: null };
  return { ...empty, ...mounted, isSynchronous: false, registered: true, ...members };
}

/** A call of a tool that went well, but for these members. */
export function callWith(members: object): TrialCall {
  const outcome = { status: "ok", result: { data: 1 } } as unknown as TrialCall["outcome"];
  return {
    kind: "valid",
    arguments: {},
    ran: true,
    returned: 1,
    thrown: null,
    outcome,
    ...members,
  };
}

/** What a rule finds, a line for each problem. */
export async function findingsOf(id: string, subject: ToolSubject | ModuleSubject): Promise<string[]> {
  const { moduleRules = [], toolRules = [] } = coreProfile;
  const rule = [...moduleRules, ...toolRules].find((one) => one.id === id)!;
  const problems = await rule.check(subject as never);
  return [...problems].map(({ where, problem, severity }) =>
    [severity, `${where}: ${problem}`].filter(Boolean).join(" "),
  );
}

/** Members of a tool, and what a rule finds of them, without `tools.` and its name. */
export type Row = [members: Partial<ToolInfo>, ...problems: string[]];

export async function expectFound(rule: string, [members, ...problems]: Row): Promise<void> {
  const found = await findingsOf(rule, toolWith(members));

  expect(found).toEqual(problems.map((problem) => `tools.${members.name ?? "read_note"}.${problem}`));
}
