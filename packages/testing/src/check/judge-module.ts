import type { ToolInfo } from "@toolmount/core";
import { isDeclaredForeign } from "@toolmount/core/modules";
import type { ModuleSubject, Profile, Rule, RuleProblem, ToolSubject } from "@toolmount/core/validation";
import { coreProfile } from "../rules/core-profile.ts";
import { describeThrown } from "../trial/describe-thrown.ts";
import { reportOf, type CheckReport, type Finding, type Verdict } from "./report.ts";

/** Applies the rules of the core and of every profile that concerns the module. */
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

/** The rule for a refusal of the host that names none, by the error's code. */
const refusals: Readonly<Record<string, string>> = {
  SCHEMA_NOT_JSON: "schema_json",
  TOOL_DUPLICATE: "name_duplicate",
};

/** Adds the rule that a refused tool broke: the adapter's when one of the profiles has it, otherwise one of the core. */
function nameBrokenRule(tool: ToolSubject, profiles: readonly Profile[]): ToolSubject {
  if (tool.refused === null) return tool;
  const { code, details } = tool.refused;
  const { rule } = details as { rule?: unknown };
  const isKnown = profiles.some(({ toolRules = [] }) => toolRules.some(({ id }) => id === rule));
  return { ...tool, refusedBy: isKnown ? String(rule) : (refusals[code] ?? "tool_mountable") };
}

/** A module that says it is one of Amplifier is judged as such, whatever its tools are. */
function applies({ origin }: Profile, { tools, exports }: ModuleSubject): boolean {
  if (origin === "amplifier" && isDeclaredForeign(exports)) return true;
  return origin === undefined || tools.some((tool) => originOf(tool) === origin);
}

/** The origin of a tool: as the host lists it, or by its shape when the host refused it. */
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

/** The problems that a rule finds. A subject that cannot be read, such as a getter that throws, is a problem too. */
async function problemsOf<Subject>(rule: Rule<Subject>, subject: Subject): Promise<readonly RuleProblem[]> {
  try {
    return [...(await rule.check(subject))];
  } catch (thrown) {
    const { name } = subject as { readonly name?: unknown };
    const where = typeof name === "string" ? `tools.${name || "(without a name)"}` : "module";
    return [{ where, problem: `it cannot be read: ${describeThrown(thrown)}`, severity: "error" }];
  }
}
