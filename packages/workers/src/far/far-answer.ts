import type { FarMessage } from "./far-message.ts";
import { callMethod } from "./crossing.ts";
import type { Registrations } from "./granted-coordinator.ts";
import type { HostMessage, Question } from "./messages.ts";
import { returnedJson, thrownJson } from "./to-json.ts";

type AskMessage = Extract<HostMessage, { type: "ask" }>;

/** Answers a question of the host, by a hook or a capability that the module has registered. */
export async function answerQuestion(
  registrations: Registrations | undefined,
  { runId, question }: AskMessage,
  send: (message: FarMessage) => void,
): Promise<void> {
  try {
    send({ type: "returned", runId, value: returnedJson(await answerOf(registrations, question)) });
  } catch (thrown) {
    send({ type: "threw", runId, thrown: thrownJson(thrown) });
  }
}

async function answerOf(registrations: Registrations | undefined, question: Question): Promise<unknown> {
  if ("hook" in question) {
    // The hooks of a module get its own events in this process, before the host emits them.
    if (registrations?.own.has(question.event) === true) return undefined;
    // A hook that its module has removed does not answer.
    return registrations?.hooks.get(question.hook)?.handler(question.event, question.data);
  }
  const { capability: name, method, arguments: given } = question;
  return callMethod(name, registrations?.capabilities.get(name)?.value, method, given);
}
