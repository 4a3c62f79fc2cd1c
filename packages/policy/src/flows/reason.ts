import type { ValueOrigin } from "@toolmount/core";
import { escapeHidden } from "@toolmount/core/hidden";

/** Why a flow does not accept a call. */
export type Problem =
  | { readonly kind: "control" | "content"; readonly origin: ValueOrigin }
  | { readonly kind: "intent" };

/** Longest value that a reason shows, in characters. */
const maxShown = 80;

export function shownValue(_name: string, value: string | number): string {
  const text = String(value);
  return text.length <= maxShown ? text : `${text.slice(0, maxShown - 1)}…`;
}

/** The sentence that a person reads: the reason of the plan, then each value with its origin. */
export function describeProblem(
  problem: Problem,
  {
    reason,
    isKnown,
    origins,
  }: { reason?: string | undefined; isKnown: boolean; origins: readonly ValueOrigin[] },
): string {
  const unknown = isKnown ? "" : " (the user's words are unknown to the host)";
  const facts =
    problem.kind === "intent"
      ? [`the user did not name this action${unknown}`]
      : origins
          .filter(({ isAccepted }) => !isAccepted)
          .map((origin) => describeOrigin(origin, isKnown) + unknown);
  return [...(reason === undefined ? [] : [reason]), ...facts].join("; ");
}

/** `recipient DE89… · from read_file (call 3), line 12 · you never wrote it` */
export function describeOrigin({ argument, value, origin, from }: ValueOrigin, isKnown: boolean): string {
  const place = from === undefined ? null : `from ${from.tool} (call ${from.call})${placeIn(from)}`;
  const parts = [
    `${argument} ${escapeHidden(value)}`,
    place ?? (origin === "composed" ? "found in no result" : origin),
    ...(isKnown && origin !== "user" ? ["you never wrote it"] : []),
  ];
  return parts.join(" · ");
}

function placeIn({ path, line }: NonNullable<ValueOrigin["from"]>): string {
  const member = path === "" ? "" : `, ${path.slice(1)}`;
  return line === undefined ? member : `${member}, line ${line}`;
}
