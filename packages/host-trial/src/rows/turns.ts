import type { Row } from "../row.ts";
import { onlyQuestion, requireEffects, requireTrue, type Trial } from "../judge/trial.ts";
import { asked, paidOnce, pay, requireAlive, requireEnd } from "./steps.ts";

/** Makes a call that needs no approval. */
const look = (id: string, word: string) => ({ id, tool: "look", arguments: JSON.stringify({ word }) });

/** Hands the task of a payment to the sub-agent, and returns the sub-agent's question. */
async function askedBySubAgent(trial: Trial) {
  await trial.start();
  const { tool, task, arguments: more } = await trial.delegation();
  const given = JSON.stringify({ ...more, [task]: "pay for me" });
  trial.script("have it paid", [{ id: "call_0", tool, arguments: given }], "All is done.");
  trial.script("pay for me", [pay("call_1", "b")], "It is paid.");
  const question = onlyQuestion(await trial.say("have it paid"));
  requireEffects(trial, "pay", [], "before an answer");
  return question;
}

/** Approves every question until the turn ends. The model tries to make twice as many requests as it may. */
async function approveAll(trial: Trial, between: () => Promise<void>): Promise<void> {
  const steps = Array.from({ length: 2 * most }, (_, at) => [pay(`call_${at}`, "b", at)]);
  trial.script("pay on", ...steps, "Done.");
  await trial.start({ mostRequests: most });
  let turn = await trial.trySay("pay on");
  while (turn?.status === "waits") {
    await between();
    turn = await trial.tryAnswer([{ question: onlyQuestion(turn).id, approve: true }]);
  }
  const ran = trial.effects("pay").length;
  requireTrue(ran > 0 && ran <= most, `with at most ${most} requests in a turn, ${ran} calls ran`);
}

const most = 3;

/** Rows about what ends a turn, and about turns of sub-agents. */
export const turns: readonly Row[] = [
  {
    name: "cancelled-turn",
    holds: "After a turn was cancelled, no further call of it begins, and the thread takes the next message.",
    tried:
      "A turn is cancelled while its first call runs; the model would make a second one. Then the user writes again.",
    needs: ["cancel"],
    async run(trial) {
      trial.script("look twice", [look("call_0", "a")], [look("call_1", "b")], "Seen.");
      await trial.start({ faults: { look: "waits until it may go on" } });
      const said = trial.trySay("look twice");
      await Promise.race([trial.begun(), said]);
      await trial.cancel();
      trial.goOn();
      await said;
      const seen = trial.effects("look").map((effect) => effect.arguments);
      requireTrue(!seen.some((text) => text.includes('"b"')), "the second call ran after the cancellation");
      await requireAlive(trial);
    },
  },
  {
    name: "cancelled-nothing",
    holds: "A cancellation while nothing runs ends no later turn.",
    tried: "A thread is cancelled after its turn has ended; then a call is asked and approved.",
    needs: ["cancel"],
    async run(trial) {
      trial.script("please pay", [pay("call_1", "b")], "Done.");
      await trial.start();
      await requireAlive(trial);
      await trial.cancel();
      const question = onlyQuestion(await trial.say("please pay"));
      await trial.answer([{ question: question.id, approve: true }]);
      requireEffects(trial, "pay", paidOnce, "after an approval in the next turn");
    },
  },
  {
    name: "withdrawn",
    holds: "An approval of a question that was revoked runs nothing.",
    tried: "A question is revoked; then it is approved, and the user writes again.",
    needs: ["withdraw"],
    async run(trial) {
      const question = await asked(trial);
      await trial.withdraw();
      await trial.tryAnswer([{ question: question.id, approve: true }]);
      requireEffects(trial, "pay", [], "after the question was revoked");
      await requireAlive(trial);
    },
  },
  {
    name: "limit-and-answers",
    holds: "An answer does not begin the limit of a turn again.",
    tried:
      "A turn may ask the model three times. The model makes six calls, one after another; each is approved.",
    needs: ["limit"],
    run: (trial) => approveAll(trial, async () => {}),
  },
  {
    name: "limit-and-restarts",
    holds: "Another process does not begin the limit of a turn again.",
    tried: "The same, and before each answer the process is killed and another starts.",
    needs: ["limit", "resume"],
    run: (trial) => approveAll(trial, () => trial.start({ mostRequests: most })),
  },
  {
    name: "sub-agent-approved",
    holds: "A call of a sub-agent waits for its answer, runs once, and the turn that began it ends.",
    tried: "The model hands a payment to a sub-agent, whose call is asked and approved.",
    thread: "strands-agents/harness-sdk#3076",
    needs: ["agents"],
    async run(trial) {
      const question = await askedBySubAgent(trial);
      const turn = await trial.answer([{ question: question.id, approve: true }]);
      requireEffects(trial, "pay", paidOnce, "after the sub-agent's call was approved");
      requireEnd(turn);
    },
  },
  {
    name: "sub-agent-denied",
    holds: "A denied call of a sub-agent does not run, and the turn that began it ends.",
    tried: "The same, and the call is denied.",
    needs: ["agents"],
    async run(trial) {
      const question = await askedBySubAgent(trial);
      const turn = await trial.answer([{ question: question.id, approve: false }]);
      requireEffects(trial, "pay", [], "after the sub-agent's call was denied");
      requireEnd(turn);
    },
  },
];
