import type { CallContext, ToolOutcome } from "@toolmount/core";
import type { LiveHost } from "./service.ts";

/** The question of one call. */
interface Question {
  readonly callId: string;
  readonly sessionId: string | undefined;
}

/**
 * Keeps a call open until its question is answered, here or in another process, and resumes it then. After `waitMs` the
 * outcome is the pending one, whose ticket still resumes the call.
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

/** The part of a turn's result that says where it stopped. */
interface Paused {
  readonly sessionId?: string;
  readonly status?: string;
  readonly waiting?: readonly Waiting[];
}

interface Waiting {
  readonly callId: string;
  readonly waitsFor: string;
  readonly arguments?: unknown;
}

/**
 * Keeps a turn open until the questions that it waits for are answered, and resumes it then, as often as it pauses. After
 * `waitMs`, and for a call that the client runs, the result is the paused one.
 */
export async function resumeTurnWhenDecided(
  live: LiveHost,
  first: object,
  resume: (sessionId: string) => Promise<object>,
  { waitMs, signal }: { readonly waitMs: number; readonly signal: AbortSignal },
): Promise<object> {
  const until = AbortSignal.any([AbortSignal.timeout(waitMs), signal]);
  let result = first;
  for (;;) {
    const { sessionId, status, waiting = [] } = result as Paused;
    if (status !== "paused" || sessionId === undefined || waitMs === 0) return result;
    const questions = questionsOf(waiting, sessionId);
    if (questions === null || !(await areDecided(live, questions, until))) return result;
    result = await resume(sessionId);
  }
}

/** The questions of a turn and of its sub-agents; null when something else than a person has to act. */
function questionsOf(waiting: readonly Waiting[], sessionId: string): Question[] | null {
  const found: Question[] = [];
  for (const { callId, waitsFor, arguments: given } of waiting) {
    const child = (given ?? {}) as Paused;
    const below =
      waitsFor === "agent" && child.sessionId !== undefined
        ? questionsOf(child.waiting ?? [], child.sessionId)
        : waitsFor === "approval"
          ? [{ callId, sessionId }]
          : null;
    if (below === null) return null;
    found.push(...below);
  }
  return found;
}

/** Waits until none of the questions is open; false when the signal fires first. */
async function areDecided(
  { host, watch }: LiveHost,
  questions: readonly Question[],
  signal: AbortSignal,
): Promise<boolean> {
  const isOpen = async ({ callId, sessionId }: Question) =>
    (await host.approvals.list({ callId, sessionId, states: ["pending"], limit: 1 })).length > 0;
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
