import { createFolders } from "../script/folders.ts";
import { findHidden } from "../script/hidden-characters.ts";
import { note, type Inspection, type PolicyRules } from "../script/inspection.ts";
import { strictness, verdictOf, type Finding, type Profile, type Verdict } from "../script/finding.ts";
import { covers } from "../script/command-patterns.ts";
import { inspectScript } from "./judge-script.ts";

/** Longest command that is judged, in bytes. */
const maxCommandBytes = 65_536;

/** What the policy says about a command. */
export interface Judgement {
  readonly verdict: Verdict;
  /** The strictest finding; null if the command is allowed. */
  readonly finding: Finding | null;
  /** Whether every command in the text is on the allow list, and only pipes and lists join these commands. */
  readonly covered: boolean;
  /** Files that redirections write, so that their real places can be checked. */
  readonly redirects: readonly string[];
}

/**
 * Judges a command by its parsed tree: all commands at any depth are judged, and the strictest finding counts. A person is asked
 * about what is not understood, and what does not parse is refused. It never runs anything.
 */
export function judge(command: string, rules: PolicyRules, profile: Profile): Judgement {
  const inspection = newInspection(rules);
  const hidden = findHidden(command);
  if (hidden !== null)
    note(
      inspection,
      "hidden",
      `it has a character that is not to be seen: ${hidden}`,
      "write it as $'\\u…', or leave it out",
    );
  else if (Buffer.byteLength(command) > maxCommandBytes)
    note(inspection, "hidden", `it is longer than ${maxCommandBytes} bytes`, "put the script into a file");
  else inspect(command, inspection);
  return conclude(inspection, profile);
}

function newInspection(rules: PolicyRules): Inspection {
  const inspection: Inspection = {
    rules,
    findings: [],
    invocations: [],
    redirects: new Set(),
    folders: createFolders(rules.files, rules.workingDir, rules.home),
    untrusted: new Set(),
    functions: new Set(),
    plain: true,
    plainShell: false,
    depth: 0,
    loops: 0,
    inspectScript: (text) => inspectScript(text, inspection),
  };
  return inspection;
}

/** Inspects a command. If the parser fails for any reason, the command counts as not understood. */
function inspect(command: string, inspection: Inspection): void {
  try {
    inspectScript(command, inspection);
  } catch (thrown) {
    const problem = thrown instanceof RangeError ? "it is nested too deep" : "it cannot be read";
    note(inspection, "syntax", problem, "write it more plainly");
  }
}

function conclude(inspection: Inspection, profile: Profile): Judgement {
  const { findings, invocations, plain, redirects, rules } = inspection;
  let verdict: Verdict = "allow";
  let finding: Finding | null = null;
  for (const each of findings) {
    const its = verdictOf(each.kind, profile);
    if (strictness[its] <= strictness[verdict]) continue;
    verdict = its;
    finding = each;
  }
  const covered =
    verdict === "allow" &&
    plain &&
    invocations.length > 0 &&
    invocations.every((words) => rules.allowed.some((pattern) => covers(pattern, words)));
  return { verdict, finding, covered, redirects: [...redirects] };
}
