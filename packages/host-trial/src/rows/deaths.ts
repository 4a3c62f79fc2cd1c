import type { Row } from "../row.ts";
import type { Fault } from "../judge/tools.ts";
import { requireEffects, requireTrue, type Trial } from "../judge/trial.ts";
import { asked, askedElsewhere, paidOnce, requireAlive, requireEnd } from "./steps.ts";

/** Approves the call in a process that dies in its tool. Another process continues the turn, and gets the answer again. */
async function diesIn(trial: Trial, fault: Fault) {
  const question = await asked(trial, { faults: { pay: fault } });
  await trial.tryAnswer([{ question: question.id, approve: true }]);
  await trial.start();
  await trial.resume();
  await trial.tryAnswer([{ question: question.id, approve: true }]);
}

/** What holds across the end of a process. */
export const deaths: readonly Row[] = [
  {
    name: "approved-elsewhere",
    holds: "A question that one process asked can be approved in another; the call runs once.",
    tried: "The process is killed while the question is open; another lists it and approves it.",
    thread: "mastra-ai/mastra#19301",
    needs: ["resume"],
    async run(trial) {
      const question = await askedElsewhere(trial);
      const turn = await trial.answer([{ question: question.id, approve: true }]);
      requireEffects(trial, "pay", paidOnce, "after an approval by another process");
      requireEnd(turn);
    },
  },
  {
    name: "denied-elsewhere",
    holds: "A question that one process asked can be denied in another; the call does not run.",
    tried: "The process is killed while the question is open; another lists it and denies it.",
    needs: ["resume"],
    async run(trial) {
      const question = await askedElsewhere(trial);
      await trial.answer([{ question: question.id, approve: false }]);
      requireEffects(trial, "pay", [], "after a denial by another process");
    },
  },
  {
    name: "two-processes",
    holds: "An approval that two processes give at the same time runs the call once.",
    tried: "Two processes over the same folder approve the same question together.",
    needs: ["resume"],
    async run(trial) {
      const question = await asked(trial);
      const beside = await trial.startBeside();
      const answers = [{ question: question.id, approve: true }];
      await Promise.allSettled([trial.answer(answers), beside.answer("t1", answers)]);
      await beside.kill();
      const ran = trial.effects("pay").length;
      requireTrue(ran === 1, `the call ran ${ran} times`);
    },
  },
  {
    name: "used-before-the-death",
    holds: "An approval that was used is not used again by another process.",
    tried: "The call is approved and runs; the process is killed; another sends the same answer.",
    needs: ["resume"],
    async run(trial) {
      const question = await asked(trial);
      await trial.answer([{ question: question.id, approve: true }]);
      await trial.start();
      await trial.tryAnswer([{ question: question.id, approve: true }]);
      requireEffects(trial, "pay", paidOnce, "after the same approval in another process");
    },
  },
  {
    name: "dies-after-effect",
    holds: "A call whose process died after its effect does not take effect again unsaid.",
    tried: "The tool writes its effect and its process is killed; another process continues.",
    needs: ["crash"],
    async run(trial) {
      await diesIn(trial, "dies after its effect");
      const ran = trial.effects("pay").length;
      requireTrue(ran === 1, `the effect took place ${ran} times`);
    },
  },
  {
    name: "dies-before-effect",
    holds: "A call whose process died before its effect takes effect at most once.",
    tried: "The process is killed as the tool begins; another process continues.",
    needs: ["crash"],
    async run(trial) {
      await diesIn(trial, "dies before its effect");
      const ran = trial.effects("pay").length;
      requireTrue(ran <= 1, `the effect took place ${ran} times`);
    },
  },
  {
    name: "alive-after-death",
    holds: "A thread whose process died in a tool takes the next message.",
    tried:
      "The tool writes its effect and its process is killed; another process continues, and the user writes again.",
    needs: ["crash"],
    async run(trial) {
      await diesIn(trial, "dies after its effect");
      await requireAlive(trial);
    },
  },
];
