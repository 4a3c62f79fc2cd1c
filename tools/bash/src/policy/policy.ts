import type { Files } from "@toolmount/paths";
import type { ParsedSettings } from "../config.ts";
import { judge, type Judgement } from "./judge.ts";
import { parsePattern } from "../script/command-patterns.ts";

/** Judges commands by a plan's settings. */
export interface Policy {
  judge(command: string): Judgement;
  /** Whether a person is asked before the command runs. Refused commands are not asked about. */
  asks(command: string): boolean;
}

interface PolicyPlace {
  readonly files: Files;
  /** Free of links. */
  readonly workingDir: string;
  readonly home: string | null;
}

/** Prepares the rules once. */
export function createPolicy(settings: ParsedSettings, place: PolicyPlace): Policy {
  const { safety_profile: profile, safety_overrides: overrides, require_approval: always } = settings;
  const allowed = settings.allowed_commands.map(parsePattern);
  const rules = {
    ...place,
    allowed,
    denied: [...settings.denied_commands, ...overrides.block].map(parsePattern),
    // The strict profile cannot be overridden.
    lifted: profile === "strict" ? [] : [...allowed, ...overrides.allow.map(parsePattern)],
  };
  const policy: Policy = {
    judge: (command) => judge(command, rules, profile),
    asks(command) {
      const { verdict, covered } = policy.judge(command);
      return verdict === "ask" || (verdict === "allow" && always && !covered);
    },
  };
  return policy;
}
