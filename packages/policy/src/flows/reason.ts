import type { ValueOrigin } from "@toolmount/core";
import { digestOfSecret, escapeHidden, namesSecret } from "@toolmount/core/text";

/** Why a flow does not accept a call. */
export type Problem =
  | { readonly kind: "control" | "content" | "private" | "reach"; readonly origin: ValueOrigin }
  | { readonly kind: "intent" | "tooMuch" }
  | { readonly kind: "forgotten"; readonly argument: string };

/** Longest value that a reason shows, in characters. */
const maxShown = 80;

/** Number of characters of a digest that a reason shows: `sha256 ` and twelve digits. */
const shownDigest = 19;

/** Returns a value as a question shows it: shortened, or as a digest if a name in the argument's path names a secret. */
export function shownValue(argument: string, value: string | number): string {
  const text = String(value);
  if (argument.split(".").some(namesSecret)) return digestOfSecret(text).slice(0, shownDigest);
  return text.length <= maxShown ? text : `${text.slice(0, maxShown - 1)}…`;
}

/** Returns the sentence for a person: the reason of the plan, then each value with its origin. */
export function describeProblem(
  problem: Problem,
  {
    reason,
    isKnown,
    origins,
  }: { reason?: string | undefined; isKnown: boolean; origins: readonly ValueOrigin[] },
): string {
  const unknown = isKnown ? "" : " (the user's words are unknown to the host)";
  const facts = factsOf(problem, origins, isKnown).map((fact) => fact + unknown);
  return [...(reason === undefined ? [] : [reason]), ...facts].join("; ");
}

function factsOf(problem: Problem, origins: readonly ValueOrigin[], isKnown: boolean): readonly string[] {
  if (problem.kind === "intent") return ["the user did not name this action"];
  if (problem.kind === "tooMuch")
    return ["the call has too many values to compare each with all results of the session"];
  if (problem.kind === "forgotten")
    return [
      `${problem.argument} was not compared with the oldest results of the session, which the host dropped`,
    ];
  const facts = origins.filter(({ isAccepted }) => !isAccepted).map((one) => describeOrigin(one, isKnown));
  if (problem.kind === "reach")
    return [`${describeOrigin(problem.origin, isKnown)} · the session has read what only you may see`];
  return problem.kind === "private" ? facts.map((fact) => `${fact} · only you may see it`) : facts;
}

/** Describes an origin: `recipient DE89… · from read_file (call 3), line 12 · you never wrote it` */
function describeOrigin({ argument, value, origin, from }: ValueOrigin, isKnown: boolean): string {
  const place = from === undefined ? null : `from ${from.tool} (call ${from.call})${placeIn(from)}`;
  const chosen = origin === "structured" || origin === "contact" ? ", which the user did not choose" : "";
  const parts = [
    `${argument} ${escapeHidden(value)}`,
    place === null ? unplaced[origin] : place + chosen,
    ...(isKnown && origin !== "user" ? ["you never wrote it"] : []),
  ];
  return parts.join(" · ");
}

/** Words for an origin that is not in a result. */
const unplaced: Readonly<Record<ValueOrigin["origin"], string>> = {
  user: "in the user's words, but not as a permission",
  identity: "the user's own",
  default: "the tool's default",
  trusted: "from a trusted result",
  structured: "from a result",
  contact: "from a directory",
  sameHost: "a link to a host that the user named",
  untrusted: "from other people's text",
  composed: "found in no result",
};

function placeIn({ path, line }: NonNullable<ValueOrigin["from"]>): string {
  const member = path === "" ? "" : `, ${path.slice(1)}`;
  return line === undefined ? member : `${member}, line ${line}`;
}
