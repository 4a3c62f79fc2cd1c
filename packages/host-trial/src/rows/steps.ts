// Steps that rows of several topics share: the payment that asks, and the message after it.
import { onlyQuestion, requireTrue, type Trial } from "../judge/trial.ts";

import type { Question, Turn } from "../contract.ts";
import type { StartOptions } from "../judge/child.ts";

/** Returns a call that pays, as the model writes it. */
export function pay(id: string, to: string, amount = 2) {
  return { id, tool: "pay", arguments: JSON.stringify({ to, amount }) };
}

/** The arguments in the ledger after a single payment of 2 to b. */
export const paidOnce = [{ to: "b", amount: 2 }];

/** Starts the host and a turn that waits with one question: whether to pay 2 to b. */
export async function asked(trial: Trial, options: StartOptions = {}): Promise<Question> {
  trial.script("please pay", [pay("call_1", "b")], "Done.");
  await trial.start(options);
  return onlyQuestion(await trial.say("please pay"));
}

/** Returns the question that another process of the host finds after the process that asked it was killed. */
export async function askedElsewhere(trial: Trial): Promise<Question> {
  await asked(trial);
  await trial.start();
  const [question] = await trial.open();
  requireTrue(question !== undefined, "the other process has no open question");
  return question!;
}

export function requireEnd({ status, text }: Turn): void {
  requireTrue(status === "done", `the turn had to end, and is ${status}: ${text}`);
}

/** Breaks the row unless the thread accepts one more message, and the model answers it. */
export async function requireAlive(trial: Trial, thread?: string): Promise<void> {
  trial.script("hello", "Hello.");
  const { status, text } = await trial.say("hello", thread);
  requireTrue(status === "done" && text.includes("Hello."), `the thread is ${status}: ${text}`);
}

export async function denyOpen(trial: Trial): Promise<void> {
  const left = await trial.open();
  if (left.length > 0) await trial.answer(left.map(({ id }) => ({ question: id, approve: false })));
}
