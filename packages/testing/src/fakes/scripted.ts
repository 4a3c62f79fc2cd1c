import type {
  ApprovalAnswer,
  ApprovalQuestion,
  Approver,
  CallContext,
  CallRequest,
  Host,
  ToolOutcome,
} from "@toolmount/core";

/** An approver that answers by a script, and remembers the questions. */
export interface ScriptedApprover extends Approver {
  readonly questions: readonly ApprovalQuestion[];
}

/** The answer of a script to one question. */
export type ScriptedAnswer =
  | ApprovalAnswer
  | ApprovalAnswer["decision"]
  | ((question: ApprovalQuestion) => ApprovalAnswer);

/** Creates an approver that answers the questions in order. A question beyond the script is denied, so that a test sees it. */
export function createScriptedApprover(script: readonly ScriptedAnswer[]): ScriptedApprover {
  const questions: ApprovalQuestion[] = [];
  return {
    questions,
    ask(question): ApprovalAnswer {
      const answer = script[questions.length];
      questions.push(question);
      if (answer === undefined) return { decision: "deny", reason: "the script has no more answers" };
      if (typeof answer === "function") return answer(question);
      return typeof answer === "string" ? { decision: answer, by: "script" } : answer;
    },
  };
}

/** Makes the calls of a script one after the other, like a turn without a model, and returns their outcomes. */
export async function runScript(
  host: Pick<Host, "call">,
  calls: readonly CallRequest[],
  context: CallContext = {},
): Promise<readonly ToolOutcome[]> {
  const outcomes: ToolOutcome[] = [];
  for (const call of calls) outcomes.push(await host.call(call, context));
  return outcomes;
}

/** A context manager that keeps messages in memory. */
export interface MockContext {
  readonly messages: readonly Readonly<Record<string, unknown>>[];
  add_message(message: Readonly<Record<string, unknown>>): Promise<void>;
  get_messages(): Promise<readonly Readonly<Record<string, unknown>>[]>;
  clear(): Promise<void>;
}

/** Makes a context manager that can be mounted at `context`. */
export function createMockContext(): MockContext {
  const messages: Readonly<Record<string, unknown>>[] = [];
  return {
    messages,
    add_message: async (message) => void messages.push(message),
    get_messages: async () => [...messages],
    clear: async () => void messages.splice(0),
  };
}
