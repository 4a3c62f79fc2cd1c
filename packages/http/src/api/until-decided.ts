import type { CallContext, ToolOutcome } from "@toolmount/core";
import { isOpenQuestion } from "../journal/approval-watch.ts";
import type { LiveHost } from "./service.ts";

/** The call of a question, by which the question is found. */
interface Question {
  readonly callId: string;
  readonly sessionId: string | undefined;
}

/**
 * Waits until a person has answered the question of a call, here or in another process, and then resumes the call. After
 * `waitMs`, returns the pending outcome, with whose ticket the call can be resumed later.
 */
export async function resumeWhenDecided(
  live: LiveHost,
  outcome: ToolOutcome,
  context: CallContext,
  waitMs: number,
): Promise<ToolOutcome> {
  const { ticket, callId, sessionId } = outcome;
  const waits = outcome.status === "pending" && outcome.result.code === "PENDING";
  if (!waits || ticket === undefined || waitMs === 0) return outcome;
  const { abortSignal } = context;
  const until = [AbortSignal.timeout(waitMs), ...(abortSignal === undefined ? [] : [abortSignal])];
  const isDecided = await areDecided(live, [{ callId, sessionId }], AbortSignal.any(until));
  return isDecided ? live.host.resume(ticket, context) : outcome;
}

/** Waits until none of the questions is open. Resolves to false if the signal aborts first. */
async function areDecided(
  { host, watch }: LiveHost,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<boolean> {
  const isOpen = (question: Question) => isOpenQuestion(host, question);
  const anyOpen = async () => (await Promise.all(questions.map(isOpen))).includes(true);
  return new Promise<boolean>((resolve, reject) => {
    const end = (decided: boolean) => {
      stop();
      resolve(decided);
    };
    const fail = (error: unknown) => {
      stop();
      reject(error);
    };
    const look = () => void anyOpen().then((open) => open || end(true), fail);
    const stop = watch.watch(look);
    signal.addEventListener("abort", () => end(false));
    if (signal.aborted) end(false);
    else look();
  });
}
