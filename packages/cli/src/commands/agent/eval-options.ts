import { InvalidArgumentError, type Command } from "commander";
import { jsonOption } from "../../options/common.ts";
import { addPlanOptions, type PlanOptions } from "../../options/plan-options.ts";

/** Options that say how often a model is asked, and which evaluations of a plan are run. */
export interface AskOptions extends PlanOptions {
  readonly baseUrl?: string;
  readonly runs: number;
  readonly concurrency: number;
  readonly text?: string;
  readonly json?: true;
}

export function addAskOptions(command: Command): Command {
  return addPlanOptions(command)
    .option("--base-url <url>", "a server that speaks the Responses API, without /responses")
    .option("--runs <n>", "how often each evaluation is run", readCount, 1)
    .option("--concurrency <n>", "how many turns run at a time", readCount, 1)
    .option("--text <text>", "only the evaluations whose name or label contains this text")
    .option(...jsonOption);
}

/** The option `--model` of commands that evaluate one model. */
export const modelOption = [
  "--model <name>",
  "the model to ask; replay:<file> answers from a recording",
] as const;

export const recordOption = [
  "--record <file>",
  "record the model's answers, for --model replay:<file>; answers of the file that still fit are kept",
] as const;

/** Reads a whole number from 1 to 99999. */
function readCount(text: string): number {
  if (/^[1-9]\d{0,4}$/.test(text)) return Number(text);
  throw new InvalidArgumentError("Give a whole number from 1.");
}

/** Reads a number from 0: a share, a cost or milliseconds. */
export function readNumber(text: string): number {
  const number = Number(text);
  if (text.trim() === "" || !(number >= 0)) throw new InvalidArgumentError("It is a number from 0 on.");
  return number;
}

/** Limits that fail the command: for the cost of all evaluations, and for the milliseconds that 95 % of the turns may take. */
export type Bounds = Readonly<Partial<Record<"cost" | "p95", number>>>;

/** Reads one limit, such as `cost=0.5`, and adds it to the limits of earlier uses of the option. */
export function readBound(text: string, before: Bounds = {}): Bounds {
  const [, name, amount = ""] = /^(cost|p95)=(.+)$/.exec(text) ?? [];
  if (name === undefined) throw new InvalidArgumentError("It is cost=<amount> or p95=<ms>.");
  return { ...before, [name]: readNumber(amount) };
}
