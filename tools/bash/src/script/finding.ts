/** What a policy says of a command. The strictest of all that was found counts. */
export type Verdict = "allow" | "ask" | "deny";

/** How much the built-in policy holds back. */
export type Profile = "strict" | "standard" | "permissive" | "unrestricted";

/**
 * What was found in a command:
 *
 * - `hidden`: a character that an approver would not see
 * - `syntax`: it does not parse, or is larger than what is judged
 * - `denied`: a rule of the plan forbids it
 * - `catastrophe`, `blocked`: the profile forbids it
 * - `redirect`: a redirection writes where nothing may be written
 * - `unclear`: what will run cannot be told from the text
 * - `option`: an option or an inline program runs or writes something of its own
 * - `outside`: a command is given a path outside the folders to write to
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
  | "outside";

export interface Finding {
  readonly kind: FindingKind;
  /** What, in a few words, to follow "Command denied for safety:". */
  readonly reason: string;
  /** How to go on. */
  readonly hint: string;
}

const firm = { hidden: "deny", syntax: "deny", denied: "deny", catastrophe: "deny" } as const;

/** What each profile makes of each finding. */
const verdicts: Readonly<Record<Profile, Readonly<Record<FindingKind, Verdict>>>> = {
  strict: { ...firm, blocked: "deny", redirect: "deny", unclear: "ask", option: "ask", outside: "ask" },
  standard: { ...firm, blocked: "deny", redirect: "deny", unclear: "ask", option: "ask", outside: "ask" },
  permissive: {
    ...firm,
    blocked: "allow",
    redirect: "ask",
    unclear: "ask",
    option: "allow",
    outside: "allow",
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
  },
};

/** What a profile makes of a finding. */
export function verdictOf(kind: FindingKind, profile: Profile): Verdict {
  return verdicts[profile][kind];
}

/** The larger, the stricter. */
export const strictness: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };
