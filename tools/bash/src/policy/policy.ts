import type { Files } from "@toolmount/paths";
import type { ParsedSettings } from "../config.ts";
import { judge, type Judgement } from "./judge.ts";
import { parsePattern } from "../script/command-patterns.ts";

/** Judges commands by a plan's settings. */
export interface Policy {
  judge(command: string): Judgement;
  /** Whether a person is asked before the command runs. No person is asked about refused commands. */
  asks(command: string): boolean;
}

interface PolicyPlace {
  readonly files: Files;
  /** The working folder, with its links resolved. */
  readonly workingDir: string;
  readonly home: string | null;
  /** Whether commands can change nothing outside of a layer and have no network, so that no person is asked about them. */
  readonly isContained: boolean;
}

/** Creates the policy of a plan's settings, with rules that are prepared once. */
export function createPolicy(settings: ParsedSettings, place: PolicyPlace): Policy {
  const { safety_overrides: overrides, require_approval: always } = settings;
  const { isContained } = place;
  const profile = isContained ? "permissive" : settings.safety_profile;
  const allowed = settings.allowed_commands.map(parsePattern);
  const rules = {
    ...place,
    allowed,
    denied: [...settings.denied_commands, ...overrides.block].map(parsePattern),
    // The rules of the strict profile cannot be overridden.
    lifted: profile === "strict" ? [] : [...allowed, ...overrides.allow.map(parsePattern)],
  };
  const policy: Policy = {
    judge: (command) => judge(command, rules, profile),
    asks(command) {
      if (isContained) return false;
      const { verdict, covered } = policy.judge(command);
      return verdict === "ask" || (verdict === "allow" && always && !covered);
    },
  };
  return policy;
}
