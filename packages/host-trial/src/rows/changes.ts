import type { Change } from "../judge/tools.ts";
import type { Row } from "../row.ts";
import { requireEffects, type Trial } from "../judge/trial.ts";
import { asked, paidOnce, requireAlive } from "./steps.ts";

/** Asks a question, then starts the host again with other tools while the question waits. */
async function askedBefore(trial: Trial, change: Change) {
  const question = await asked(trial);
  await trial.start({ change });
  return question;
}

/** Rows about changes between a question and its answer. */
export const changes: readonly Row[] = [
  {
    name: "definition-changed",
    holds:
      "A call that waited while its tool's schema changed does not reach the tool with arguments that it now refuses.",
    tried: "An amount is asked as a number; another process, whose tool takes a text, gets the approval.",
    needs: ["resume"],
    async run(trial) {
      const question = await askedBefore(trial, "pay takes a text");
      await trial.tryAnswer([{ question: question.id, approve: true }]);
      requireEffects(trial, "pay", [], "with an amount that is now a text");
    },
  },
  {
    name: "tool-removed",
    holds: "An approval of a call whose tool is gone does not end the thread.",
    tried: "Another process, which has no such tool, gets the approval; then the user writes again.",
    needs: ["resume"],
    async run(trial) {
      const question = await askedBefore(trial, "pay is gone");
      await trial.tryAnswer([{ question: question.id, approve: true }]);
      await requireAlive(trial);
    },
  },
  {
    name: "rule-changed",
    holds: "A question that was asked is still decided by its answer after its tool no longer asks.",
    tried: "Another process, whose tool does not ask, gets the denial.",
    needs: ["resume"],
    async run(trial) {
      const question = await askedBefore(trial, "pay no longer asks");
      await trial.tryAnswer([{ question: question.id, approve: false }]);
      requireEffects(trial, "pay", [], "after a denial");
    },
  },
  {
    name: "denied-by-another",
    holds: "A person who still sees a question cannot approve what another has denied.",
    tried: "Two processes have the question; it is denied in the second, then approved in the first.",
    needs: ["resume"],
    async run(trial) {
      const question = await asked(trial);
      const beside = await trial.startBeside();
      await beside.answer("t1", [{ question: question.id, approve: false }]);
      await trial.tryAnswer([{ question: question.id, approve: true }]);
      await beside.kill();
      requireEffects(trial, "pay", [], "after another person had denied it");
    },
  },
  {
    name: "undone-once",
    holds: "What is undone twice, also by two processes, is undone once.",
    tried: "A payment is approved and undone; another process undoes it again.",
    needs: ["undo", "resume"],
    async run(trial) {
      const question = await asked(trial);
      await trial.answer([{ question: question.id, approve: true }]);
      await trial.undo();
      await trial.start();
      await trial.undo().catch(() => null);
      requireEffects(trial, "pay", paidOnce, "after one approval");
      requireEffects(trial, "undo", paidOnce, "after it was undone twice");
    },
  },
];
