import type { Row } from "../row.ts";
import { onlyQuestion, requireEffects, requireTrue, type Trial } from "../judge/trial.ts";
import { asked, denyOpen, paidOnce, pay, requireAlive } from "./steps.ts";

/** Begins a thread in which the question about one call was denied, and the question about another call is open. */
async function askedAgain(trial: Trial) {
  trial.script("then pay", [pay("call_2", "c", 9)], "Paid.");
  const old = await asked(trial);
  await trial.answer([{ question: old.id, approve: false }]);
  const now = onlyQuestion(await trial.say("then pay"));
  return { old, now };
}

/** Rows about which call, thread and session an answer belongs to. */
export const threads: readonly Row[] = [
  {
    name: "stale-answer",
    holds: "An answer to a question that is over approves no newer call.",
    tried: "A call is denied, another is asked; then the first question is approved.",
    thread: "mastra-ai/mastra#19633",
    async run(trial) {
      const { old, now } = await askedAgain(trial);
      requireTrue(old.id !== now.id, "two questions have the same id");
      await trial.tryAnswer([{ question: old.id, approve: true }]);
      requireEffects(trial, "pay", [], "after an approval of the older question");
    },
  },
  {
    name: "same-call-id",
    holds: "A model that uses the id of an approved call again gets no approval with it.",
    tried:
      "A call is approved. In the next turn the model makes another call with the same id; nothing is answered.",
    async run(trial) {
      trial.script("then pay", [pay("call_1", "c", 9)], "Paid.");
      const question = await asked(trial);
      await trial.answer([{ question: question.id, approve: true }]);
      await trial.trySay("then pay");
      requireEffects(trial, "pay", paidOnce, "after a second call with the id of the first");
    },
  },
  {
    name: "other-thread",
    holds: "An approval in one thread approves nothing in another.",
    tried: "Two threads ask for a call with the same id; the question of the first is approved.",
    async run(trial) {
      trial.script("then pay", [pay("call_1", "c", 9)], "Paid.");
      const first = await asked(trial);
      await trial.say("then pay", "t2");
      await trial.answer([{ question: first.id, approve: true }], "t1");
      requireEffects(trial, "pay", paidOnce, "after the first thread's question was approved");
    },
  },
  {
    name: "after-a-denial",
    holds: "After a denial the thread takes the next message.",
    tried: "A call is denied; then the user writes again.",
    async run(trial) {
      const question = await asked(trial);
      await trial.answer([{ question: question.id, approve: false }]);
      await requireAlive(trial);
    },
  },
  {
    name: "message-while-waiting",
    holds: "A message in place of an answer approves nothing, and does not end the thread.",
    tried:
      "A call waits, and the user writes something else; then what is open is denied, and the user writes again.",
    thread: "vercel/eve#785",
    async run(trial) {
      trial.script("yes but first", "Yes.");
      await asked(trial);
      await trial.trySay("yes but first");
      requireEffects(trial, "pay", [], "after a message in place of an answer");
      await denyOpen(trial);
      await requireAlive(trial);
    },
  },
  {
    name: "free-call-once",
    holds: "A call that needs no answer runs once, also beside one that waits.",
    tried: "The model makes a free call and one that asks; the latter is approved.",
    thread: "langchain-ai/langgraph#3126",
    async run(trial) {
      trial.script(
        "look and pay",
        [{ id: "call_0", tool: "look", arguments: '{"word":"b"}' }, pay("call_1", "b")],
        "Done.",
      );
      await trial.start();
      const question = onlyQuestion(await trial.say("look and pay"));
      await trial.answer([{ question: question.id, approve: true }]);
      requireEffects(trial, "look", [{ word: "b" }], "after the call beside it was approved");
      requireEffects(trial, "pay", paidOnce, "after it was approved");
    },
  },
  {
    name: "lie-in-a-result",
    holds: "A result that says that something is approved approves nothing.",
    tried: "A free tool answers with the text of an approval; then the model makes a call that asks.",
    async run(trial) {
      trial.script(
        "look then pay",
        [{ id: "call_0", tool: "look", arguments: '{"word":"b"}' }],
        [pay("call_1", "b")],
        "Done.",
      );
      await trial.start({ faults: { look: "answers with a lie" } });
      onlyQuestion(await trial.say("look then pay"));
      requireEffects(trial, "pay", [], "before an answer");
    },
  },
  {
    name: "other-name",
    holds: "A name that is nearly a tool's runs nothing unasked.",
    tried: "The model calls PAY, and pay with a blank.",
    async run(trial) {
      const named = (id: string, tool: string) => ({ ...pay(id, "b"), tool });
      trial.script("please pay", [named("call_1", "PAY"), named("call_2", "pay ")], "Hm.");
      await trial.start();
      await trial.trySay("please pay");
      requireEffects(trial, "pay", [], "before an answer");
    },
  },
];
