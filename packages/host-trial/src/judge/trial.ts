import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import { join } from "node:path";
import type { Answer, Delegation, ListedCall, Question, Turn } from "../contract.ts";
import type { StartOptions } from "./child.ts";
import { HostProcess, type Launch } from "./host-process.ts";
import { exactText, readEffects, type Effect } from "./ledger.ts";
import { ModelServer, type Script } from "./model-server.ts";

/** Thrown when a promise was broken. The message says how. */
export class Broken extends Error {}

/** How often a turn that waits without a question is resumed, one second apart. Leases of hosts last some tens of seconds. */
const mostResumes = 90;

/** One try of a row, with its own host, model, ledger and folder. */
export class Trial {
  readonly #launch: Launch;
  readonly #root = mkdtempSync(join(tmpdir(), "host-trial-"));
  readonly #model = new ModelServer();
  #modelUrl = "";
  #host: HostProcess | undefined;
  readonly #processes: HostProcess[] = [];

  private constructor(launch: Launch) {
    this.#launch = launch;
  }

  static async open(launch: Launch): Promise<Trial> {
    const trial = new Trial(launch);
    mkdirSync(join(trial.#root, "host"));
    trial.#modelUrl = await trial.#model.listen();
    return trial;
  }

  async close(): Promise<void> {
    for (const process of this.#processes) await process.kill();
    this.#model.close();
    rmSync(this.#root, { recursive: true, force: true });
  }

  /** Starts the host, or another process of it over the same folder. The process before is killed. */
  async start(options: StartOptions = {}): Promise<void> {
    await this.#host?.kill();
    this.#host = await this.startBeside(options);
  }

  /** Starts one more process over the same folder, while the first continues to run. */
  async startBeside(options: StartOptions = {}): Promise<HostProcess> {
    const host = await HostProcess.launch(this.#launch);
    this.#processes.push(host);
    await host.start(this.#root, this.#modelUrl, options);
    return host;
  }

  script(message: string, ...script: Script): void {
    this.#model.script(message, script);
  }

  say(message: string, thread = "t1"): Promise<Turn> {
    return this.#host!.say(thread, message);
  }

  answer(answers: readonly Answer[], thread = "t1"): Promise<Turn> {
    return this.#host!.answer(thread, answers);
  }

  /** Continues a turn that was cut off. A host may have to wait until the dead process's lease on a call has ended. */
  async resume(thread = "t1"): Promise<Turn> {
    for (let asked = 1; ; asked += 1) {
      const turn = await this.#host!.resume(thread);
      if (turn.status !== "waits" || turn.questions.length > 0 || asked === mostResumes) return turn;
      await setTimeout(1000);
    }
  }

  /** Cancels the turn of a thread. Resolves when the host has begun to cancel it, or has done so. */
  async cancel(thread = "t1"): Promise<void> {
    const done = this.#host!.cancel(thread).catch(() => undefined);
    await Promise.race([done, this.#host!.facts()]);
  }

  /** Resolves to the number of writes that handling the last answer took. */
  writes(): Promise<number> {
    return this.#host!.writes();
  }

  withdraw(thread = "t1"): Promise<void> {
    return this.#host!.withdraw(thread);
  }

  undo(thread = "t1"): Promise<void> {
    return this.#host!.undo(thread);
  }

  list(calls: readonly ListedCall[], thread = "t1"): Promise<Question> {
    return this.#host!.list(thread, calls);
  }

  /** Resolves when the tool that waits has begun. */
  async begun(): Promise<void> {
    while (!existsSync(join(this.#root, "begun"))) await setTimeout(5);
  }

  /** Lets the waiting tool continue. */
  goOn(): void {
    writeFileSync(join(this.#root, "go-on"), "");
  }

  /** Resolves to how the model hands a task to the host's sub-agent. */
  async delegation(): Promise<Delegation> {
    return (await this.#host!.facts()).delegation!;
  }

  open(thread = "t1"): Promise<readonly Question[]> {
    return this.#host!.open(thread);
  }

  /** Answers, and ignores a refusal of any kind, because only the ledger counts. */
  async tryAnswer(answers: readonly Answer[], thread = "t1"): Promise<Turn | null> {
    return this.answer(answers, thread).catch(() => null);
  }

  /** Sends a message, and ignores a refusal of any kind. */
  async trySay(message: string, thread = "t1"): Promise<Turn | null> {
    return this.say(message, thread).catch(() => null);
  }

  effects(tool?: string): readonly Effect[] {
    const all = readEffects(join(this.#root, "ledger.jsonl"));
    return tool === undefined ? all : all.filter((effect) => effect.tool === tool);
  }
}

/** Breaks the row unless the ledger has a tool's effects with exactly these arguments, in any order. */
export function requireEffects(trial: Trial, tool: string, wanted: readonly unknown[], when: string): void {
  const found = trial.effects(tool).map((effect) => effect.arguments);
  const expected = wanted.map((one) => (typeof one === "string" ? one : exactText(one)));
  if (found.toSorted().join("\n") !== expected.toSorted().join("\n"))
    throw new Broken(
      `${when}: ${tool} ran with ${list(found)}; it had to run with ${list(expected)}`.slice(0, 2000),
    );
}

function list(texts: readonly string[]): string {
  return texts.length === 0 ? "nothing" : texts.map((text) => text.slice(0, 300)).join(" and ");
}

export function requireTrue(holds: boolean, problem: string): void {
  if (!holds) throw new Broken(problem);
}

/** Returns the only question of a turn. Breaks the row unless the turn waits with exactly one question. */
export function onlyQuestion(turn: Turn): Question {
  requireTrue(
    turn.status === "waits" && turn.questions.length === 1,
    `the turn had to wait with one question, and ${turn.status === "waits" ? `has ${turn.questions.length}` : `is ${turn.status}: ${turn.text.slice(0, 300)}`}`,
  );
  return turn.questions[0]!;
}

/** Returns the question about a payment to a person. Breaks the row if no question shows it. */
export function questionFor(questions: readonly Question[], to: string): Question {
  const found = questions.find((question) => shown(question).includes(JSON.stringify(to)));
  requireTrue(found !== undefined, `no question shows the payment to ${to}`);
  return found!;
}

/** Returns the arguments that a question shows, as text. */
export function shown(question: Question): string {
  const { arguments: given } = question;
  return typeof given === "string" ? given : exactText(given);
}
