import { escapeHidden } from "@toolmount/core/text";

/** A problem that a rule found. */
export interface Finding {
  readonly profile: string;
  /** The rule's id, which never changes. */
  readonly rule: string;
  readonly severity: "error" | "warning";
  readonly where: string;
  readonly problem: string;
  readonly why: string;
  readonly fix: string;
}

/** The verdict of one profile. Warnings do not make it fail. */
export interface Verdict {
  readonly profile: string;
  readonly passed: boolean;
  /** Number of checks: rules times subjects. */
  readonly checks: number;
  readonly findings: readonly Finding[];
}

/** The result of checking a module. */
export interface CheckReport {
  readonly passed: boolean;
  readonly checks: number;
  readonly errors: number;
  readonly warnings: number;
  readonly verdicts: readonly Verdict[];
  readonly findings: readonly Finding[];
  /** Names of the tools that were mounted. */
  readonly tools: readonly string[];
}

/** Combines verdicts to a report. */
export function reportOf(verdicts: readonly Verdict[], tools: readonly string[]): CheckReport {
  const findings = verdicts.flatMap((verdict) => verdict.findings);
  const errors = findings.filter(({ severity }) => severity === "error").length;
  return {
    passed: errors === 0,
    checks: verdicts.reduce((sum, { checks }) => sum + checks, 0),
    errors,
    warnings: findings.length - errors,
    verdicts,
    findings,
    tools,
  };
}

/** Formats a report as text: a verdict for each profile, each finding with where, why and how to fix it, and the counts. */
export function formatReport(report: CheckReport): string {
  const lines = report.verdicts.flatMap(({ profile, passed, findings }) => [
    `${passed ? "passed" : "FAILED"}  ${profile}`,
    ...findings.flatMap(formatFinding),
  ]);
  const { checks, errors, warnings } = report;
  return [...lines, `${checks} checks, ${errors} errors, ${warnings} warnings`].map(escapeHidden).join("\n");
}

function formatFinding({ rule, severity, where, problem, why, fix }: Finding): readonly string[] {
  return [
    `  ${severity} ${rule} at ${where}`,
    `    ${problem.replaceAll("\n", " ")}`,
    `    why: ${why}`,
    `    fix: ${fix}`,
  ];
}
