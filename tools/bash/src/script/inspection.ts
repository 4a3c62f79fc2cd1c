import type { Files } from "@toolmount/paths";
import type { Finding, FindingKind } from "./finding.ts";
import type { Folders } from "./folders.ts";
import type { CommandPattern } from "./command-patterns.ts";
import type { ShellWord } from "./words.ts";

/** The settings of a policy, prepared once. */
export interface PolicyRules {
  readonly denied: readonly CommandPattern[];
  readonly allowed: readonly CommandPattern[];
  /** Commands to which the profile's own rules do not apply. */
  readonly lifted: readonly CommandPattern[];
  readonly files: Files;
  readonly workingDir: string;
  readonly home: string | null;
}

/** What is found out while a command's tree is walked. */
export interface Inspection {
  readonly rules: PolicyRules;
  readonly findings: Finding[];
  /** Every command that will run, both wrappers and the commands that they run. */
  readonly invocations: (readonly ShellWord[])[];
  /** Files that redirections write, as absolute paths. */
  readonly redirects: Set<string>;
  readonly folders: Folders;
  /** Variables whose value may be more than a plain word. */
  untrusted: ReadonlySet<string>;
  /** Names of the functions that the script defines. */
  readonly functions: Set<string>;
  /** Whether the script consists only of plain commands that are joined by `|`, `;`, `&&` and `||`. */
  plain: boolean;
  /** Whether a plain `sh` reads the script, so that syntax which only bash knows means something else. */
  plainShell: boolean;
  /** How deep the present script is nested in other scripts. */
  depth: number;
  /** In how many loops and functions the present node is. */
  loops: number;
  /** Judges a script that was found in this script, such as the text after `-c`. */
  readonly inspectScript: (text: string) => void;
}

export function note(inspection: Inspection, kind: FindingKind, reason: string, hint: string): void {
  inspection.findings.push({ kind, reason, hint });
}

/** Records that the text does not show what will run. */
export function noteUnclear(inspection: Inspection, reason: string): void {
  note(inspection, "unclear", reason, "write the command out plainly, or let a person approve it");
}
