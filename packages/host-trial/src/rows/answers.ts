import type { Question } from "../contract.ts";
import type { Row } from "../row.ts";
import { questionFor, requireEffects, requireTrue, shown, type Trial } from "../judge/trial.ts";
import { asked, paidOnce, pay, requireEnd } from "./steps.ts";

/** Begins a turn that waits with two questions. */
async function askedTwice(trial: Trial, first: string, second: string) {
  trial.script("pay two", [pay("call_1", first, 2), pay("call_2", second, 2)], "Both are done.");
  await trial.start();
  const turn = await trial.say("pay two");
  requireTrue(turn.status === "waits", `the turn had to wait, and is ${turn.status}`);
  return turn.questions;
}

/** Rows about what an answer does, and what it does not do. */
export const answers: readonly Row[] = [
  {
    name: "waits",
    thread: "openai/openai-agents-js#647",
    holds: "A call that asks does not run before it is answered.",
    tried: "The model makes one call that asks. Nothing is answered.",
    async run(trial) {
      await asked(trial);
      requireEffects(trial, "pay", [], "before an answer");
    },
  },
  {
    name: "approved-once",
    holds: "An approved call runs once, with the arguments that were shown.",
    tried: "One call is asked and approved.",
    async run(trial) {
      const question = await asked(trial);
      const turn = await trial.answer([{ question: question.id, approve: true }]);
      requireEffects(trial, "pay", paidOnce, "after one approval");
      requireEnd(turn);
    },
  },
  {
    name: "denied-never",
    thread: "mastra-ai/mastra#20470",
    holds: "A denied call does not run, and the turn ends with the model's answer.",
    tried: "One call is asked and denied.",
    async run(trial) {
      const question = await asked(trial);
      const turn = await trial.answer([{ question: question.id, approve: false }]);
      requireEffects(trial, "pay", [], "after a denial");
      requireEnd(turn);
    },
  },
  {
    name: "forged-id",
    holds: "An approval of a question that was never asked runs nothing.",
    tried: "One call is asked; an answer approves a made-up question.",
    async run(trial) {
      await asked(trial);
      await trial.tryAnswer([{ question: "made-up", approve: true }]);
      requireEffects(trial, "pay", [], "after an approval of another question");
    },
  },
  {
    name: "answer-twice",
    holds: "The same approval given twice runs the call once.",
    tried: "One question is approved, and the same answer is sent again.",
    async run(trial) {
      const question = await asked(trial);
      await trial.answer([{ question: question.id, approve: true }]);
      await trial.tryAnswer([{ question: question.id, approve: true }]);
      requireEffects(trial, "pay", paidOnce, "after the same approval twice");
    },
  },
  {
    name: "approve-after-deny",
    thread: "openai/openai-agents-python#4429",
    holds: "An approval after a denial of the same question runs nothing.",
    tried: "One question is denied, then approved.",
    async run(trial) {
      const question = await asked(trial);
      await trial.answer([{ question: question.id, approve: false }]);
      await trial.tryAnswer([{ question: question.id, approve: true }]);
      requireEffects(trial, "pay", [], "after a denial and a later approval");
    },
  },
  {
    name: "twins-one",
    holds: "Of two equal calls, an approval and a denial let exactly one run.",
    tried: "The model makes the same call twice at once; the first is approved, the second denied.",
    thread: "langchain-ai/langgraph#6626",
    async run(trial) {
      await askedTwice(trial, "b", "b");
      await answerAll(trial, (at) => at === 0);
      requireEffects(trial, "pay", paidOnce, "after one approval and one denial of twins");
    },
  },
  {
    name: "twins-both",
    holds: "Two equal calls that are both approved both run.",
    tried: "The model makes the same call twice at once; both are approved.",
    async run(trial) {
      await askedTwice(trial, "b", "b");
      await answerAll(trial, () => true);
      requireEffects(trial, "pay", [...paidOnce, ...paidOnce], "after both twins were approved");
    },
  },
  {
    name: "right-call",
    thread: "langchain-ai/langgraph#6533",
    holds: "Each decision reaches the call that it was made for.",
    tried: "Two different calls are asked at once; the second is approved and the first denied.",
    async run(trial) {
      await askedTwice(trial, "a", "b");
      await answerAll(trial, (_at, text) => text.includes('"b"'));
      requireEffects(trial, "pay", paidOnce, "after the second of two was approved");
    },
  },
  {
    name: "right-call-reversed",
    holds: "The order of the answers does not matter.",
    tried: "Two different calls are asked at once; they are answered in the reverse order, in one list.",
    async run(trial) {
      const questions = await askedTwice(trial, "a", "b");
      if (questions.length < 2) await answerAll(trial, (_at, text) => text.includes('"b"'));
      else await answerReversed(trial, questions);
      requireEffects(trial, "pay", paidOnce, "after a was denied and b approved");
    },
  },
  {
    name: "part-of-the-answers",
    holds: "While one of two questions is open, its call does not run.",
    tried: "Two calls are asked at once; only the second is approved.",
    async run(trial) {
      const questions = await askedTwice(trial, "a", "b");
      const b = questions.length < 2 ? questions[0]! : questionFor(questions, "b");
      await trial.tryAnswer([{ question: b.id, approve: true }]);
      const other = shown(b).includes('"b"') ? "a" : "b";
      const ran = trial.effects("pay").map((effect) => effect.arguments);
      requireTrue(
        !ran.some((text) => text.includes(`"${other}"`)),
        `the call without an answer ran: ${ran.join()}`,
      );
    },
  },
  {
    name: "five",
    holds: "Of five questions of one turn, those that were approved run, and no other.",
    tried: "The model makes five calls at once; the first, third and fifth are approved.",
    async run(trial) {
      const people = ["a", "b", "c", "d", "e"];
      trial.script(
        "pay five",
        people.map((to, at) => pay(`call_${at}`, to, at)),
        "Done.",
      );
      await trial.start();
      await trial.say("pay five");
      await answerAll(trial, (_at, text) => /"to":\s*"[ace]"/.test(text));
      const paid = [
        { to: "a", amount: 0 },
        { to: "c", amount: 2 },
        { to: "e", amount: 4 },
      ];
      requireEffects(trial, "pay", paid, "after a, c and e were approved");
    },
  },
  {
    name: "edited",
    holds: "A call whose arguments a person changed runs with those, and not with the model's.",
    tried: "One call is approved with another amount.",
    needs: ["edit"],
    async run(trial) {
      const question = await asked(trial);
      await trial.answer([{ question: question.id, approve: true, arguments: { to: "b", amount: 1 } }]);
      requireEffects(trial, "pay", [{ to: "b", amount: 1 }], "after the amount was changed to 1");
    },
  },
  {
    name: "list-once",
    holds: "A list of calls that was approved once runs each of them once, also when the answer comes again.",
    tried: "One answer approves two calls; the same answer is given again, and again in another process.",
    needs: ["lists", "resume"],
    async run(trial) {
      const calls = ["ann", "bob"].map((to) => ({ tool: "pay", arguments: { to, amount: 2 } }));
      await trial.start();
      const { id } = await trial.list(calls);
      requireEffects(trial, "pay", [], "before an answer");
      await trial.answer([{ question: id, approve: true }]);
      await trial.tryAnswer([{ question: id, approve: true }]);
      await trial.start();
      await trial.tryAnswer([{ question: id, approve: true }]);
      const paid = calls.map((call) => call.arguments);
      requireEffects(trial, "pay", paid, "after one approval of both");
    },
  },
  {
    name: "may-not-answer",
    holds: "An approval by a person who may not answer runs nothing, and one who may still can.",
    tried: "A person without the right approves; then the one who has it.",
    needs: ["people"],
    async run(trial) {
      const { id } = await asked(trial);
      await trial.tryAnswer([{ question: id, approve: true, by: "stranger" }]);
      requireEffects(trial, "pay", [], "after an approval by a stranger");
      await trial.answer([{ question: id, approve: true }]);
      requireEffects(trial, "pay", paidOnce, "after an approval by the person who may");
    },
  },
];

/** Approves b and denies a, in one list that begins with b. */
async function answerReversed(trial: Trial, questions: readonly Question[]): Promise<void> {
  const [a, b] = [questionFor(questions, "a"), questionFor(questions, "b")];
  await trial.answer([
    { question: b.id, approve: true },
    { question: a.id, approve: false },
  ]);
}

/** Answers all questions that are open together, and then those that follow, as a person would. */
async function answerAll(trial: Trial, approve: (at: number, text: string) => boolean): Promise<void> {
  const seen = new Set<string>();
  let at = 0;
  for (let round = 0; round < 8; round += 1) {
    const open = (await trial.open()).filter(({ id }) => !seen.has(id));
    if (open.length === 0) return;
    await trial.answer(
      open.map((question) => ({ question: question.id, approve: approve(at++, shown(question)) })),
    );
    for (const { id } of open) seen.add(id);
  }
}
