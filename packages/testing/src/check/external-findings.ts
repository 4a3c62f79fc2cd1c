import { coreProfile } from "../rules/core-profile.ts";
import { reportOf, type CheckReport, type Finding, type Verdict } from "./report.ts";

/** A step of a check, which is reported before it begins. */
export interface CheckStep {
  readonly during: "import" | "mount" | "call" | "unmount" | "rules";
  /** The tool that is called. */
  readonly tool?: string;
}

/** Damage that a module did to the process that checks it, as another process saw it. */
export interface ExternalFinding {
  readonly step: CheckStep;
  readonly kind: "stuck" | "threw" | "ended";
  readonly problem: string;
}

/** Adds external findings to the core's verdict in a report, or to an empty report if the check did not finish. */
export function addExternalFindings(
  report: CheckReport | null,
  external: readonly ExternalFinding[],
): CheckReport {
  const added = external.map(findingOf);
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

function findingOf({ step, kind, problem }: ExternalFinding): Finding {
  const id = ruleFor(step, kind);
  const { why, fix } = [...(coreProfile.moduleRules ?? []), ...(coreProfile.toolRules ?? [])].find(
    (rule) => rule.id === id,
  )!;
  return { profile: coreProfile.name, rule: id, severity: "error", where: whereOf(step), problem, why, fix };
}

function ruleFor({ during }: CheckStep, kind: ExternalFinding["kind"]): string {
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
