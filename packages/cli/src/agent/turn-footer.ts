import type { TurnResult } from "@toolmount/reasoner";
import { exitCodes, type ExitCode } from "../process/exit-codes.ts";
import { countOf } from "../screen/count.ts";
import { printable } from "../screen/printable.ts";
import type { Screen } from "../screen/screen.ts";
import { shortIds } from "../screen/short-ids.ts";

/** Facts that a footer shows besides the turn. */
interface FooterOptions {
  readonly plan?: string | undefined;
  /** The model that the command names, because the plan may have none. */
  readonly model?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Whether the reader already knows the session id. A chat shows it once, at the beginning. */
  readonly isKnown?: boolean;
}

/** Returns the session, cost and counts of a turn and, if the turn is paused, the command that resumes it. */
export function turnFooter(
  screen: Screen,
  { sessionId, status, incomplete, usage, cost, iterations, calls }: TurnResult,
  { plan, model, baseUrl, isKnown = false }: FooterOptions = {},
): string[] {
  const session = printable(shortIds([sessionId])(sessionId));
  const facts = [
    ...(isKnown || sessionId === "" ? [] : [`session ${session}`]),
    countOf(iterations, "request"),
    countOf(calls, "call"),
    `${usage.inputTokens} + ${usage.outputTokens} tokens`,
    ...(cost === null ? [] : [`${cost.amount.toFixed(4)} ${cost.currency}`]),
  ];
  const lines = [screen.paint("dim", facts.join(" · "))];
  if (status === "paused" && sessionId !== "") {
    const asked = [model && `--model ${model}`, baseUrl && `--base-url ${baseUrl}`];
    const words = ["toolmount sessions resume", session, plan, ...asked].filter(Boolean).join(" ");
    lines.push(`resume with: ${screen.paint("cyan", printable(words))}`);
  }
  if (incomplete !== undefined)
    lines.push(screen.paint("yellow", `the turn is incomplete (${printable(incomplete)})`));
  if (status === "cancelled")
    lines.push(screen.paint("yellow", "the turn was cancelled; every call it made is answered"));
  return lines;
}

/** Returns the exit code of a command that runs one turn. */
export function exitCodeOfTurn({ status }: TurnResult): ExitCode {
  if (status === "done") return exitCodes.done;
  return status === "paused" ? exitCodes.pending : exitCodes.failed;
}
