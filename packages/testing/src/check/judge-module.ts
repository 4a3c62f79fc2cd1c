import type { ToolInfo } from "@toolmount/core";
import { isDeclaredForeign } from "@toolmount/core/modules";
import type { ModuleSubject, Profile, Rule, RuleProblem, ToolSubject } from "@toolmount/core/validation";
import { coreProfile } from "../rules/core-profile.ts";
import { describeThrown } from "../trial/describe-thrown.ts";
import { reportOf, type CheckReport, type Finding, type Verdict } from "./report.ts";

/** Applies the rules of the core, and those of every profile that applies to the module. */
export async function judgeModule(
  studied: ModuleSubject,
  furtherProfiles: readonly Profile[],
): Promise<CheckReport> {
  const profiles = [coreProfile, ...furtherProfiles.filter((profile) => applies(profile, studied))];
  const subject = { ...studied, tools: studied.tools.map((tool) => nameBrokenRule(tool, profiles)) };
  const verdicts = await Promise.all(profiles.map((profile) => applyProfile(profile, subject)));
  return reportOf(
    verdicts,
    subject.tools.map(({ name }) => name),
  );
}

/** The broken rule by error code, for errors of the host that do not name a rule. */
const refusals: Readonly<Record<string, string>> = {
  SCHEMA_NOT_JSON: "schema_json",
  TOOL_DUPLICATE: "name_duplicate",
};

/** Adds the rule that a refused tool broke: the adapter's rule if one of the profiles has it, otherwise a rule of the core. */
function nameBrokenRule(tool: ToolSubject, profiles: readonly Profile[]): ToolSubject {
  if (tool.refused === null) return tool;
  const { code, details } = tool.refused;
  const { rule } = details as { rule?: unknown };
  const isKnown = profiles.some(({ toolRules = [] }) => toolRules.some(({ id }) => id === rule));
  return { ...tool, refusedBy: isKnown ? String(rule) : (refusals[code] ?? "tool_mountable") };
}

/** Whether a profile applies to a module. A module that declares itself as one of Amplifier gets that profile in any case. */
function applies({ origin }: Profile, { tools, exports }: ModuleSubject): boolean {
  if (origin === "amplifier" && isDeclaredForeign(exports)) return true;
  return origin === undefined || tools.some((tool) => originOf(tool) === origin);
}

/** Returns the origin of a tool: as the host lists it, or judged by its shape if the host refused it. */
function originOf({ info, thing }: ToolSubject): ToolInfo["origin"] {
  if (info !== null) return info.origin;
  if (typeof thing === "function") return "aptix";
  if (typeof thing !== "object" || thing === null) return "toolmount";
  if ("ExecuteAsync" in thing) return "aptix";
  if (!("schema" in thing)) return "amplifier";
  return Symbol.for("toolmount.authored") in thing ? "toolmount" : "forge";
}

async function applyProfile(profile: Profile, subject: ModuleSubject): Promise<Verdict> {
  const tools = subject.tools.filter(
    (tool) => profile.origin === undefined || originOf(tool) === profile.origin,
  );
  const { moduleRules = [], toolRules = [] } = profile;
  const checks = [
    ...moduleRules.map((rule) => checkRule(profile.name, rule, subject)),
    ...tools.flatMap((tool) => toolRules.map((rule) => checkRule(profile.name, rule, tool))),
  ];
  const findings = (await Promise.all(checks)).flat();
  return {
    profile: profile.name,
    passed: findings.every(({ severity }) => severity !== "error"),
    checks: checks.length,
    findings,
  };
}

async function checkRule<Subject>(
  profile: string,
  rule: Rule<Subject>,
  subject: Subject,
): Promise<readonly Finding[]> {
  const { id, why, fix } = rule;
  return (await problemsOf(rule, subject)).map(({ where, problem, severity }) => ({
    profile,
    rule: id,
    severity: severity ?? rule.severity,
    where,
    problem,
    why,
    fix,
  }));
}

/** Returns the problems that a rule finds. A subject that cannot be read, for example because a getter throws, is a problem. */
async function problemsOf<Subject>(rule: Rule<Subject>, subject: Subject): Promise<readonly RuleProblem[]> {
  try {
    return [...(await rule.check(subject))];
  } catch (thrown) {
    const { name } = subject as { readonly name?: unknown };
    const where = typeof name === "string" ? `tools.${name || "(without a name)"}` : "module";
    return [{ where, problem: `it cannot be read: ${describeThrown(thrown)}`, severity: "error" }];
  }
}
