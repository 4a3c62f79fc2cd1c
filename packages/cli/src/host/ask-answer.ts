import type { ApprovalQuestion, ApprovalScope } from "@toolmount/core";
import { choose, type Choice } from "../process/choose.ts";
import type { Shell } from "../process/shell.ts";
import { isGrave, questionDetails, type AskedCall } from "../render/question.ts";
import type { Screen } from "../screen/screen.ts";

/** A person's decision about one question. */
interface Decided {
  readonly decision: "approve" | "deny";
  readonly remember?: ApprovalScope;
  readonly reason?: string;
}

interface Asking {
  readonly screen: Screen;
  readonly terminal: NonNullable<Shell["terminal"]>;
  readonly message: string;
  /** Further choices, which are shown below the decisions. */
  readonly more: readonly Choice<NoDecision>[];
  readonly signal?: AbortSignal;
}

/** Choices that leave the question open: decide later, or write a rule for the plan. */
export type NoDecision = "later" | "rule";

type Answer = "deny" | "reason" | "approve" | ApprovalScope["scope"] | NoDecision | "details";

/**
 * Lets the person at the terminal answer the question on the screen. After a look at its details, asks again. Undefined if the
 * person leaves, or if the signal ends the question.
 */
export async function askAnswer(
  question: AskedCall & Pick<ApprovalQuestion, "digest" | "rememberable">,
  { screen, terminal, message, more, signal }: Asking,
): Promise<Decided | NoDecision | undefined> {
  const choices = choicesOf(question, more);
  const ask = () => choose(screen, terminal, { message, choices, signal });
  let answer = await ask();
  for (; answer === "details"; answer = await ask())
    for (const line of questionDetails(question, question.digest, screen)) screen.line(line);
  if (answer === "approve" || answer === "deny") return { decision: answer };
  if (answer === "arguments" || answer === "session")
    return { decision: "approve", remember: { scope: answer } };
  if (answer !== "reason") return answer;
  const { isCancel, text } = await import("@clack/prompts");
  const reason = await text({
    ...terminal,
    ...(signal && { signal }),
    message: "Why not? The model reads it.",
  });
  if (isCancel(reason)) return undefined;
  return { decision: "deny", ...(reason?.trim() ? { reason: reason.trim() } : {}) };
}

/**
 * Returns the choices, beginning with the harmless one. If the call is grave, or its tool is unknown, an approval needs Enter
 * after its key.
 */
function choicesOf(
  { facts, rememberable, info }: AskedCall & Pick<ApprovalQuestion, "rememberable">,
  more: readonly Choice<NoDecision>[],
): Choice<Answer>[] {
  const needsEnter = facts === undefined || isGrave(facts);
  const approve = (value: Answer, key: string, label: string) => ({ value, key, label, needsEnter });
  const inSession = rememberable && info.sessionId !== undefined;
  return [
    { value: "deny", key: "n", label: "Deny" },
    { value: "reason", key: "d", label: "Deny, and say why", hint: "the model reads it" },
    approve("approve", "y", "Approve this one call"),
    ...(rememberable ? [approve("arguments", "a", "Approve these arguments always")] : []),
    ...(inSession ? [approve("session", "s", "Approve these arguments in this session")] : []),
    ...more,
    { value: "details", key: "i", label: "Show the digest, the rule and the JSON" },
  ];
}
