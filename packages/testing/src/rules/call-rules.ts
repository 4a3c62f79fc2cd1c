import { DeadlineExceeded } from "../trial/deadline.ts";
import { problemOf, type ToolRule } from "./tool-subject.ts";

/** The checks of how a call ends. */
export const endingRules: readonly ToolRule[] = [
  {
    id: "execute_never_throws",
    severity: "error",
    why: "a model can read a failure that is returned",
    fix: "catch it and return failure(…), or throw a ToolError with a message for the model",
    *check(subject) {
      for (const { arguments: given, thrown } of subject.calls) {
        if (thrown === null || thrown.value instanceof DeadlineExceeded || isIntended(thrown.value)) continue;
        const { name, message } =
          thrown.value instanceof Error ? thrown.value : { name: typeof thrown.value, message: "" };
        const problem = `it throws on ${excerptOf(given)}: ${name} ${message}`.slice(0, 300);
        yield problemOf(subject, "execute", problem);
        break;
      }
    },
  },
  {
    id: "execute_ends",
    severity: "error",
    why: "a call that never ends keeps its caller waiting until the deadline, and never frees its resources",
    fix: "set a deadline for what the tool waits for, and pass context.abortSignal to it",
    *check(subject) {
      const hung = subject.calls.find(({ thrown }) => thrown?.value instanceof DeadlineExceeded);
      if (hung === undefined) return;
      const { message } = hung.thrown!.value as DeadlineExceeded;
      yield problemOf(subject, "execute", `on ${excerptOf(hung.arguments)} ${message}`);
    },
  },
];

/** The checks of the author's own examples. */
export const exampleRules: readonly ToolRule[] = [
  {
    id: "valid_calls",
    severity: "error",
    why: "a tool must answer arguments that its author calls valid",
    fix: "correct the tool or the example",
    *check(subject) {
      for (const { kind, outcome, arguments: given, thrown } of subject.calls) {
        if (kind !== "valid" || thrown !== null || outcome.status === "ok" || outcome.status === "pending")
          continue;
        if (["CONTRACT_VIOLATION", "OUTPUT_INVALID"].includes(outcome.result.code ?? "")) continue;
        const problem = `${JSON.stringify(given)} gives ${outcome.status}: ${outcome.result.error ?? ""}`;
        yield problemOf(subject, "execute", problem.slice(0, 300));
      }
    },
  },
  {
    id: "invalid_calls",
    severity: "error",
    why: "a tool must refuse arguments that its author calls invalid",
    fix: "let the schema refuse them, with a sentence that says why",
    *check(subject) {
      for (const { kind, outcome, arguments: given } of subject.calls)
        if (kind === "invalid" && outcome.status === "ok")
          yield problemOf(subject, "execute", `${JSON.stringify(given)} is accepted`.slice(0, 300));
    },
  },
];

/** Returns the start of the arguments, for a finding. */
function excerptOf(given: unknown): string {
  const text = typeof given === "string" ? given : JSON.stringify(given);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Whether a thrown value is an error whose message is for the model, or an interrupt. */
function isIntended(value: unknown): boolean {
  return value instanceof Error && ["ToolError", "ToolInterrupt", "ContractBreach"].includes(value.name);
}
