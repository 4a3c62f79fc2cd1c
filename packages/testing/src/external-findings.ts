import { coreProfile } from "./rules/core-profile.ts";
import { reportOf, type CheckReport, type Finding, type Verdict } from "./trial/report.ts";

/** What a check is about to do with a module. */
export interface CheckStep {
  readonly during: "import" | "mount" | "call" | "unmount" | "rules";
  /** The tool that is called. */
  readonly tool?: string;
}

/** What a module did to the process that checks it, seen from outside. */
export interface Incident {
  readonly step: CheckStep;
  readonly kind: "stuck" | "threw" | "ended";
  readonly problem: string;
}

/** Adds incidents to the core's verdict of a report, or to an empty one when the check did not come to its end. */
export function addIncidents(report: CheckReport | null, incidents: readonly Incident[]): CheckReport {
  const added = incidents.map(findingOf);
  const [first, ...others] = report?.verdicts ?? [];
  const core: Verdict = first ?? {
    profile: coreProfile.name,
    passed: true,
    checks: added.length,
    findings: [],
  };
  const judged = {
    ...core,
    passed: core.passed && added.length === 0,
    findings: [...core.findings, ...added],
  };
  return reportOf([judged, ...others], report?.tools ?? []);
}

function findingOf({ step, kind, problem }: Incident): Finding {
  const id = ruleFor(step, kind);
  const { why, mend } = [...(coreProfile.moduleRules ?? []), ...(coreProfile.toolRules ?? [])].find(
    (rule) => rule.id === id,
  )!;
  return { profile: coreProfile.name, rule: id, severity: "error", where: whereOf(step), problem, why, mend };
}

function ruleFor({ during }: CheckStep, kind: Incident["kind"]): string {
  if (during === "import") return "module_importable";
  if (during === "mount") return "protocol_compliance";
  if (during === "unmount") return "cleanup_succeeds";
  return kind === "stuck" ? "execute_ends" : "execute_never_throws";
}

function whereOf({ during, tool }: CheckStep): string {
  if (tool !== undefined) return `tools.${tool || "(without a name)"}.execute`;
  if (during === "rules") return "tools";
  return during === "mount" ? "mount" : "module";
}
