import type { Row } from "../row.ts";
import type { Fault } from "../judge/tools.ts";
import { onlyQuestion, requireEffects, requireTrue, type Trial } from "../judge/trial.ts";
import type { StartOptions } from "../judge/child.ts";
import type { Effect } from "../judge/ledger.ts";
import { asked, askedElsewhere, paidOnce, pay, requireAlive, requireEnd } from "./steps.ts";

/** Approves a call in a process that dies in its tool. Another process continues the turn, and gets the same answer again. */
async function diesIn(trial: Trial, fault: Fault) {
  const question = await asked(trial, { faults: { pay: fault } });
  await trial.tryAnswer([{ question: question.id, approve: true }]);
  await trial.start();
  await trial.resume();
  await trial.tryAnswer([{ question: question.id, approve: true }]);
}

/** Rows about what must stay true when a process ends. */
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
    tried:
      "The tool writes its effect and its process is killed; another process continues, and gets the answer again.",
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
    tried: "The process is killed as the tool begins; another process continues, and gets the answer again.",
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
  {
    name: "dies-anywhere",
    holds:
      "A process that dies at any of its writes leaves a call that takes effect at most once, and a thread that takes the next message.",
    tried:
      "A dry run counts the writes to files, databases and sockets from the approval to the end of the turn; then a process is killed at each of up to twelve of them, and another continues, and gets the answer again.",
    needs: ["crash"],
    async run(trial) {
      const count = await payDry(trial);
      const points = pointsOf(count);
      for (const write of points) await diesAt(trial, write);
      // One process continues all threads, because each may have to wait until the dead process's lease on a call has ended.
      await trial.start();
      await Promise.all(points.map((write) => continueAfter(trial, write)));
    },
  },
];

/** Maximum number of writes at which a process is killed. */
const mostPoints = 12;

/** Returns numbers of writes from the first to the last, spaced as evenly as possible. */
function pointsOf(count: number): readonly number[] {
  const points = Math.min(count, mostPoints);
  const at = (point: number) => Math.round(1 + (point * (count - 1)) / Math.max(1, points - 1));
  return Array.from({ length: points }, (_, point) => at(point));
}

/** Asks for a payment to a person, in a thread that is named after the person. */
async function askFor(trial: Trial, to: string, options: StartOptions): Promise<string> {
  trial.script(`please pay ${to}`, [pay("call_1", to)], "Done.");
  await trial.start(options);
  return onlyQuestion(await trial.say(`please pay ${to}`, to)).id;
}

/** Returns how many writes it takes to approve a payment and to end the turn. */
async function payDry(trial: Trial): Promise<number> {
  const question = await askFor(trial, "dry", {});
  requireEnd(await trial.answer([{ question, approve: true }], "dry"));
  return trial.writes();
}

const threadOf = (write: number) => `write ${write}`;

/** Approves a payment in a process that dies at the write with this number. */
async function diesAt(trial: Trial, write: number): Promise<void> {
  const thread = threadOf(write);
  const question = await askFor(trial, thread, { dieAtWrite: write });
  await trial.tryAnswer([{ question, approve: true }], thread);
}

/** Continues a turn that was cut off, and gives the same answer to the questions that are still open. */
async function continueAfter(trial: Trial, write: number): Promise<void> {
  const thread = threadOf(write);
  await trial.resume(thread).catch(() => null);
  for (const { id } of await trial.open(thread))
    await trial.tryAnswer([{ question: id, approve: true }], thread);
  const isOf = (effect: Effect) => effect.arguments.includes(JSON.stringify(thread));
  const ran = trial.effects("pay").filter(isOf).length;
  requireTrue(ran <= 1, `killed at ${thread}: the effect took place ${ran} times`);
  const left = await trial.open(thread);
  requireTrue(left.length === 0, `killed at ${thread}: the question is open after its answer`);
  await requireAlive(trial, thread);
}
