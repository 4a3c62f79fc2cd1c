/** The policy's verdict about a command. The strictest finding counts. */
export type Verdict = "allow" | "ask" | "deny";

/** How strict the built-in policy is. */
export type Profile = "strict" | "standard" | "permissive" | "unrestricted";

/**
 * The kind of a finding in a command:
 *
 * - `hidden`: a character that an approver cannot see, or a text that is too long
 * - `syntax`: it does not parse, or is nested too deeply
 * - `denied`: a rule of the plan forbids it
 * - `catastrophe`, `blocked`: the profile forbids it
 * - `redirect`: a redirection writes outside the folders
 * - `unclear`: the text does not show what will run
 * - `option`: an option or an inline program runs or writes something in addition
 * - `outside`: a command is to write to a path outside the folders
 * - `unknown`: the policy does not know the command
 */
export type FindingKind =
  | "hidden"
  | "syntax"
  | "denied"
  | "catastrophe"
  | "blocked"
  | "redirect"
  | "unclear"
  | "option"
  | "outside"
  | "unknown";

export interface Finding {
  readonly kind: FindingKind;
  /** What was found, in a few words that can follow "Command denied for safety:". */
  readonly reason: string;
  /** What to do instead, for the model. */
  readonly hint: string;
}

const firm = { hidden: "deny", syntax: "deny", denied: "deny", catastrophe: "deny" } as const;

/** The verdict of each profile about each finding. */
const verdicts: Readonly<Record<Profile, Readonly<Record<FindingKind, Verdict>>>> = {
  strict: {
    ...firm,
    blocked: "deny",
    redirect: "deny",
    unclear: "ask",
    option: "ask",
    outside: "ask",
    unknown: "ask",
  },
  standard: {
    ...firm,
    blocked: "deny",
    redirect: "deny",
    unclear: "ask",
    option: "ask",
    outside: "ask",
    unknown: "allow",
  },
  permissive: {
    ...firm,
    blocked: "allow",
    redirect: "ask",
    unclear: "ask",
    option: "allow",
    outside: "allow",
    unknown: "allow",
  },
  unrestricted: {
    hidden: "deny",
    syntax: "allow",
    denied: "allow",
    catastrophe: "allow",
    blocked: "allow",
    redirect: "allow",
    unclear: "allow",
    option: "allow",
    outside: "allow",
    unknown: "allow",
  },
};

/** Returns the verdict of a profile about a kind of finding. */
export function verdictOf(kind: FindingKind, profile: Profile): Verdict {
  return verdicts[profile][kind];
}

/** Verdicts by strictness: a larger number is stricter. */
export const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };
