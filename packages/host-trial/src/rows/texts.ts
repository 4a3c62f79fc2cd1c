import type { Question, Turn } from "../contract.ts";
import type { Row } from "../row.ts";
import { exactText } from "../judge/ledger.ts";
import { Broken, onlyQuestion, requireEffects, requireTrue, shown, type Trial } from "../judge/trial.ts";
import type { Fault } from "../judge/tools.ts";
import { denyOpen, requireAlive } from "./steps.ts";

/** Makes a call whose arguments are this text, as a model may write it. */
async function written(trial: Trial, text: string, tool = "pay") {
  trial.script("please", [{ id: "call_1", tool, arguments: text }], "Done.");
  await trial.start();
  return trial.trySay("please");
}

/** Approves the only question of a turn, if the turn waits. */
async function approveOpen(trial: Trial, turn: Turn | null): Promise<void> {
  if (turn?.status === "waits") await trial.tryAnswer([{ question: onlyQuestion(turn).id, approve: true }]);
}

/**
 * Makes a call with this text as its arguments, and approves its question. What then runs must be what the question showed, or
 * nothing.
 */
async function runsAsShown(trial: Trial, text: string, tool: string): Promise<void> {
  const turn = await written(trial, text, tool);
  if (turn?.status !== "waits") return requireEffects(trial, tool, [], "without a question");
  const question = onlyQuestion(turn);
  await trial.tryAnswer([{ question: question.id, approve: true }]);
  const [effect, ...more] = trial.effects(tool);
  requireTrue(more.length === 0, "the call ran twice");
  if (effect !== undefined && effect.arguments !== valueShown(question))
    throw new Broken(
      `the question showed ${shown(question).slice(0, 300)}, and ${effect.arguments.slice(0, 300)} ran`,
    );
}

/** Returns the value that a question shows, even if the host shows it as the text that the model wrote. */
function valueShown(question: Question): string {
  const { arguments: given } = question;
  if (typeof given !== "string") return exactText(given);
  try {
    return exactText(JSON.parse(given));
  } catch {
    return given;
  }
}

async function endsAfter(trial: Trial, fault: Fault): Promise<void> {
  trial.script("look", [{ id: "call_1", tool: "look", arguments: '{"word":"b"}' }], "Seen.");
  await trial.start({ faults: { look: fault } });
  await trial.trySay("look");
  requireEffects(trial, "look", [{ word: "b" }], "after one call");
  await requireAlive(trial);
}

/** Rows about what a model writes, and what a tool answers. */
export const texts: readonly Row[] = [
  {
    name: "big-integer",
    holds: "An integer beyond 2^53 arrives as it was written, or the call does not run.",
    tried: "The model pays 9007199254740993; what is asked is approved.",
    thread: "earendil-works/pi#8943",
    async run(trial) {
      const turn = await written(trial, '{"to":"b","amount":9007199254740993}');
      await approveOpen(trial, turn);
      const ran = trial.effects("pay").map((effect) => effect.arguments);
      requireTrue(
        ran.every((text) => text.includes("9007199254740993")),
        `9007199254740993 became ${ran.join()}`,
      );
    },
  },
  {
    name: "double-key",
    holds: "Of arguments with a doubled key, what was shown is what runs.",
    tried: 'The model writes {"amount":1,"amount":1000}; what is asked is approved.',
    run: (trial) => runsAsShown(trial, '{"to":"b","amount":1,"amount":1000}', "pay"),
  },
  {
    name: "half-characters",
    holds: "A text with half of a character runs as it was shown, or not.",
    tried: "The model pays to a lone surrogate; what is asked is approved.",
    run: (trial) => runsAsShown(trial, String.raw`{"to":"b\ud83d","amount":2}`, "pay"),
  },
  {
    name: "hidden-characters",
    holds: "A question shows the characters of an argument that cannot be seen.",
    tried:
      "The model pays to a name with a text-direction mark and a zero-width space; what is asked is approved.",
    run: (trial) => runsAsShown(trial, String.raw`{"to":"b\u202eb\u200b","amount":2}`, "pay"),
  },
  {
    name: "deep",
    holds: "Arguments of 400 levels run as they were shown, or not, and the process lives.",
    tried: "The model stores an object of 400 levels; what is asked is approved.",
    async run(trial) {
      await runsAsShown(trial, `{"value":${'{"a":'.repeat(400)}1${"}".repeat(400)}}`, "store");
      await trial.open();
    },
  },
  {
    name: "long",
    holds: "A question shows all of what will run, however long it is.",
    tried: "The model stores 200,000 characters that differ at their end; what is asked is approved.",
    run: (trial) => runsAsShown(trial, `{"value":{"a":"${"x".repeat(200_000)}!"}}`, "store"),
  },
  {
    name: "proto",
    holds: "An argument that has the name of an object's prototype is an argument, or the call does not run.",
    tried: "The model stores an object with __proto__; what is asked is approved.",
    async run(trial) {
      const text = '{"value":{"__proto__":{"paid":true},"a":1}}';
      const turn = await written(trial, text, "store");
      await approveOpen(trial, turn);
      const ran = trial.effects("store").map((effect) => effect.arguments);
      requireTrue(
        ran.every((one) => one.includes("__proto__")),
        `the member __proto__ was lost: ${ran.join()} ran`,
      );
    },
  },
  {
    name: "not-json",
    holds: "Arguments that are not JSON run nothing, and do not end the thread.",
    tried: "The model writes half of an object; then the user writes again.",
    async run(trial) {
      await written(trial, '{"to":"b","amount":');
      requireEffects(trial, "pay", [], "with arguments that are not JSON");
      await requireAlive(trial);
    },
  },
  {
    name: "wrong-type",
    holds: "Arguments that the schema refuses do not reach the tool.",
    tried: "The model pays a text; what is asked is approved.",
    async run(trial) {
      const turn = await written(trial, '{"to":"b","amount":"all"}');
      await approveOpen(trial, turn);
      requireEffects(trial, "pay", [], "with an amount that is a text");
    },
  },
  {
    name: "unknown-tool",
    holds: "A call of a tool that does not exist does not end the thread.",
    tried: "The model calls transfer; then the user writes again.",
    async run(trial) {
      await written(trial, "{}", "transfer");
      await denyOpen(trial);
      await requireAlive(trial);
    },
  },
  {
    name: "throws-after-effect",
    holds: "A tool that fails after its effect is not run again by the host.",
    tried: "A tool writes its effect, then throws; then the user writes again.",
    run: (trial) => endsAfter(trial, "throws after its effect"),
  },
  {
    name: "long-result",
    holds: "A result of a megabyte does not end the thread, and the tool runs once.",
    tried: "A tool answers with a megabyte; then the user writes again.",
    run: (trial) => endsAfter(trial, "answers with a megabyte"),
  },
  {
    name: "odd-result",
    holds: "A result that is no JSON does not end the thread, and the tool runs once.",
    tried: "A tool answers with a circle that holds a BigInt; then the user writes again.",
    run: (trial) => endsAfter(trial, "answers with no JSON"),
  },
];
