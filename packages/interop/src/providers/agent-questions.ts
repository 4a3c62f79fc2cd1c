import { isToolmountError, type ApprovalView, type CallContext, type Host } from "@toolmount/core";
import { digestOf } from "@toolmount/core/json";
import { isRecord, readText } from "../schema/guards.ts";

/** A question to a person, without the data that only approvers of the host may see. */
export interface LibraryQuestion {
  /** Identifies the question in an answer. A second question about the same call has another id. */
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  readonly prompt: string;
  /** The arguments, in which values under names of secrets are masked. */
  readonly arguments: object;
}

/** The questions about the calls of one library's agent, and the answers of the library's people. */
export class AgentQuestions {
  readonly #approvals: Host["approvals"];
  readonly #answersAs: string | undefined;
  /** Returns the context of a call, given what the library passed with it. */
  readonly #contextOf: (given: CallContext) => CallContext;

  constructor(
    approvals: Host["approvals"],
    answersAs: string | undefined,
    contextOf: (given: CallContext) => CallContext,
  ) {
    [this.#approvals, this.#answersAs, this.#contextOf] = [approvals, answersAs, contextOf];
  }

  /**
   * Decides the open question of a call as the library's people did. Does nothing without `answersAs` or without an open
   * question.
   */
  async decide(
    callId: string,
    decision: "approve" | "deny",
    given: CallContext = {},
    reason?: string,
  ): Promise<void> {
    const question = await this.#question(callId, given);
    if (question !== undefined) await this.#decide(question, decision, reason);
  }

  /**
   * Decides the open question of a call with the answer of the library's people: `true`, `false`, or `{ decision, reason }`.
   */
  async answer(callId: string, value: unknown, given: CallContext = {}): Promise<void> {
    const { decision = value, reason } = isRecord(value) ? value : {};
    const isApproved = decision === true || decision === "approve";
    await this.decide(callId, isApproved ? "approve" : "deny", given, readText(reason) || undefined);
  }

  /**
   * Decides questions of the session with answers that name them: `{ id, decision, reason }`, or a list of these. Resolves to
   * the reason if nothing was decided; null if each answer names a question, or without `answersAs`. A question that is already
   * decided stays as it is.
   */
  async answerNamed(value: unknown, given: CallContext = {}): Promise<string | null> {
    if (this.#answersAs === undefined) return null;
    const { sessionId, userId } = this.#contextOf(given);
    const filter = { sessionId, states: questionStates, limit: maxQuestions };
    const questions = await this.#approvals.list(filter);
    const own = questions.filter(({ info }) => info.sessionId === sessionId && info.userId === userId);
    const answers = (Array.isArray(value) ? value : [value]).map((one) => readAnswer(one, own));
    const read = answers.filter((one) => one !== null);
    if (read.length < answers.length || read.length === 0) return unnamedAnswer(value);
    for (const { question, decision, reason } of read) await this.#decide(question, decision, reason);
    return null;
  }

  /**
   * Returns the question of a call in the form in which the library shows it to its people. If the call asks nothing, its texts are
   * empty.
   */
  async questionOf(callId: string, given: CallContext = {}): Promise<LibraryQuestion> {
    const found = await this.#question(callId, given);
    return found === undefined ? { id: "", callId, tool: "", prompt: "", arguments: {} } : shownOf(found);
  }

  /** Returns the questions about the given calls that are still open. */
  async openQuestions(callIds: readonly string[], given: CallContext): Promise<readonly LibraryQuestion[]> {
    const found = await Promise.all(callIds.map((id) => this.#question(id, given)));
    return found.flatMap((one) => (one?.state === "pending" ? shownOf(one) : []));
  }

  /** Whether a person still has to answer the question of a call. */
  async isOpen(callId: string, given: CallContext = {}): Promise<boolean> {
    return (await this.#question(callId, given))?.state === "pending";
  }

  /** Returns how the question of a call was decided; null if it is open, or if there is none. */
  async decisionOf(callId: string, given: CallContext = {}): Promise<ApprovalView["decision"]> {
    return (await this.#question(callId, given))?.decision ?? null;
  }

  /** Returns the newest question of a call in this session. */
  async #question(callId: string, given: CallContext): Promise<ApprovalView | undefined> {
    const { sessionId, userId } = this.#contextOf(given);
    const filter = { callId, sessionId, states: questionStates };
    const found = await this.#approvals.list(filter);
    return found.findLast(({ info }) => info.sessionId === sessionId && info.userId === userId);
  }

  async #decide(
    { id, state }: ApprovalView,
    decision: "approve" | "deny",
    reason: string | undefined,
  ): Promise<void> {
    if (this.#answersAs === undefined || state !== "pending") return;
    try {
      await this.#approvals.decide(id, { decision, reason }, this.#answersAs);
    } catch (error) {
      if (!isToolmountError(error) || error.code !== "APPROVAL_DECIDED") throw error; // another answer came first
    }
  }
}

/** The states of a question, open or decided. */
const questionStates = ["pending", "approved", "denied", "ended"] as const;

/** Maximum number of questions of a session among which the one of an answer is searched. */
const maxQuestions = 10_000;

function readAnswer(value: unknown, questions: readonly ApprovalView[]) {
  const { id, decision, reason } = isRecord(value) ? value : {};
  const question = questions.find((one) => questionId(one.id) === id);
  const isApproved = decision === true || decision === "approve";
  if (question === undefined || (!isApproved && decision !== false && decision !== "deny")) return null;
  return {
    question,
    decision: isApproved ? "approve" : "deny",
    reason: readText(reason) || undefined,
  } as const;
}

/** Returns why a value with which a run was resumed has decided nothing. */
function unnamedAnswer(value: unknown): string {
  const given = (JSON.stringify(value) ?? "undefined").slice(0, 200);
  return `nothing was decided: ${given} does not name a question of this thread; resume with { id, decision: "approve" or "deny" }, where id is that of a question, or with a list of them`;
}

function shownOf({ id, info, tool, prompt, arguments: shown }: ApprovalView): LibraryQuestion {
  return { id: questionId(id), callId: info.callId, tool, prompt, arguments: shown };
}

/** Returns the id of a question for libraries, because only approvers of the host may know the id of an approval. */
function questionId(approvalId: string): string {
  return digestOf(["question", approvalId]).slice(0, 16);
}
