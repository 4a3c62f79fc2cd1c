import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { Answer, HostAdapter, Question, TrialTool, Turn } from "../src/contract.ts";

/** A fault of a planted host, by the name of the row that has to catch it, and no other. */
export const plantedFaults = [
  "forged-id",
  "answer-twice",
  "approve-after-deny",
  "twins-both",
  "right-call-reversed",
  "part-of-the-answers",
  "five",
  "edited",
  "stale-answer",
  "same-call-id",
  "other-thread",
  "after-a-denial",
  "message-while-waiting",
  "free-call-once",
  "lie-in-a-result",
  "other-name",
  "denied-elsewhere",
  "two-processes",
  "used-before-the-death",
  "big-integer",
  "long",
  "proto",
  "not-json",
  "wrong-type",
  "unknown-tool",
  "throws-after-effect",
  "long-result",
  "odd-result",
] as const;

export type PlantedFault = (typeof plantedFaults)[number];

interface Call {
  readonly id: string;
  readonly question: string;
  readonly tool: string;
  text: string;
  state: "open" | "approved" | "denied" | "done";
  wasDenied?: boolean;
}

interface Message {
  readonly role: string;
  readonly content: string | null;
  readonly tool_calls?: readonly WireCall[];
  readonly tool_call_id?: string;
}

interface WireCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: string };
}

/** A thread as it is kept in its file. */
interface Thread {
  readonly messages: Message[];
  readonly calls: Call[];
  isDead: boolean;
}

/**
 * A host of a few lines that keeps every promise but the one that its fault names. It asks a model and a person, and keeps its
 * threads as files. It is there to be caught, and is no example.
 */
export function plantedHost(fault: PlantedFault | "none"): HostAdapter {
  return {
    name: `planted: ${fault}`,
    version: "1",
    can: ["resume", "edit"],
    start: async ({ folder, tools, modelUrl }) => {
      const host = new PlantedHost(fault, folder, tools, modelUrl);
      return {
        say: (thread, message) => host.say(thread, message),
        answer: (thread, answers) => host.answer(thread, answers),
        open: async (thread) => host.open(thread),
      };
    },
  };
}

class PlantedHost {
  readonly #fault: PlantedFault | "none";
  readonly #folder: string;
  readonly #tools: ReadonlyMap<string, TrialTool>;
  readonly #modelUrl: string;
  /** Questions that this process has asked, and ids that it has approved. */
  readonly #asked = new Set<string>();
  readonly #approvedIds = new Set<string>();

  constructor(fault: PlantedFault | "none", folder: string, tools: readonly TrialTool[], modelUrl: string) {
    this.#fault = fault;
    this.#folder = folder;
    this.#tools = new Map(tools.map((tool) => [tool.name, tool]));
    this.#modelUrl = modelUrl;
  }

  async say(name: string, content: string): Promise<Turn> {
    const thread = this.#read(name);
    // After a denial only a message that leads to another call is taken, so that only one row sees it.
    const isTaken = this.#fault === "after-a-denial" && content.includes("pay");
    if (thread.isDead && !isTaken) throw new Error("the thread is dead");
    const isYes = this.#fault === "message-while-waiting" && content.includes("yes");
    for (const call of openOf(thread)) call.state = isYes ? "approved" : "denied";
    await this.#finish(thread);
    thread.messages.push({ role: "user", content });
    return this.#turn(name, thread);
  }

  async answer(name: string, answers: readonly Answer[]): Promise<Turn> {
    const thread = this.#read(name);
    // Both processes read before either writes.
    if (this.#fault === "two-processes") await setTimeout(500);
    const inOrder = openOf(thread);
    for (const [at, answer] of answers.entries()) {
      const isByPlace = this.#fault === "right-call-reversed" && answers.length > 1;
      const call = isByPlace ? inOrder[at] : await this.#callFor(thread, answer);
      if (call?.state !== "open") throw new Error(`nothing waits for ${answer.question}`);
      this.#decide(name, thread, call, answer);
      const isAlone = this.#fault === "part-of-the-answers" && answers.length === 1 && answer.approve;
      if (isAlone) for (const other of openOf(thread)) if (other.text !== call.text) other.state = "approved";
    }
    if (this.#fault === "twins-both") denyTwins(thread);
    await this.#finish(thread);
    return this.#turn(name, thread);
  }

  open(name: string): readonly Question[] {
    return openOf(this.#read(name)).map(({ question, tool, text }) => ({
      id: question,
      tool,
      arguments: this.#fault === "long" ? text.slice(0, 100_000) : text,
    }));
  }

  /** The call that an answer is taken for. */
  async #callFor(thread: Thread, { question, approve }: Answer): Promise<Call | undefined> {
    const named = thread.calls.find((call) => call.question === question);
    const [open] = openOf(thread);
    const fault = this.#fault;
    if (named === undefined) return fault === "forged-id" ? open : undefined;
    if (named.state === "open") return named;
    if (fault === "stale-answer" && open !== undefined) return open;
    if (fault === "approve-after-deny" && named.wasDenied === true && approve && open === undefined)
      return this.#asked.size === 1 ? Object.assign(named, { state: "open" as const }) : undefined;
    const isOwn = this.#asked.has(question);
    const isUsedAgain = isOwn ? fault === "answer-twice" : fault === "used-before-the-death";
    if (isUsedAgain && named.wasDenied !== true) await this.#run(named);
    return undefined;
  }

  #decide(name: string, thread: Thread, call: Call, { approve, arguments: edited }: Answer): void {
    const fault = this.#fault;
    if (edited !== undefined && fault !== "edited") call.text = JSON.stringify(edited);
    const isTaken = approve || (fault === "denied-elsewhere" && !this.#asked.has(call.question));
    // One process takes an approval.
    if (isTaken && fault !== "two-processes") mkdirSync(join(this.#folder, `${name}-${call.question}`));
    call.state = isTaken ? "approved" : "denied";
    call.wasDenied = !isTaken;
    if (fault === "five" && thread.calls.length > 4 && call === thread.calls[4]) call.state = "denied";
    if (fault === "after-a-denial" && !approve) thread.isDead = true;
    if (isTaken) this.#approvedIds.add(call.id);
    if (fault === "other-thread" && isTaken) void this.#approveIn("t2", call.id);
  }

  /** The fault that an approval is known by the model's id alone. */
  async #approveIn(name: string, id: string): Promise<void> {
    const other = this.#read(name);
    const call = openOf(other).find((one) => one.id === id);
    if (call !== undefined) await this.#run(call);
  }

  /** Runs what was approved, and adds to the messages what became of all that ended. */
  async #finish(thread: Thread): Promise<void> {
    for (const call of thread.calls.filter(({ state }) => state === "approved" || state === "denied")) {
      const content = call.state === "denied" ? "denied" : await this.#run(call);
      const isTooLong = this.#fault === "long-result" && content.length > 500_000;
      const isOdd = this.#fault === "odd-result" && content === "no text";
      if (isTooLong || isOdd) thread.isDead = true;
      call.state = "done";
      thread.messages.push({ role: "tool", tool_call_id: call.id, content });
    }
  }

  async #run({ tool: name, text }: Call): Promise<string> {
    const tool = this.#tools.get(name);
    const fault = this.#fault;
    if (tool === undefined || !isJson(text)) return "that cannot be called";
    const args = readArguments(text, fault);
    const isNumber = ["number", "bigint"].includes(typeof args["amount"]);
    if (name === "pay" && !isNumber && fault !== "wrong-type") return "the amount is no number";
    const once = async () => {
      const answer = await tool.run(args);
      return typeof answer === "string" ? answer : "no text";
    };
    // A free call beside one that waits is run again.
    if (fault === "free-call-once" && !tool.asks && this.#asked.size > 0) await once();
    return once().catch((error: unknown) =>
      fault === "throws-after-effect" ? once().catch(String) : String(error),
    );
  }

  async #turn(name: string, thread: Thread): Promise<Turn> {
    for (;;) {
      this.#write(name, thread);
      const questions = this.open(name);
      for (const { id } of questions) this.#asked.add(id);
      if (questions.length > 0) return { status: "waits", questions, text: "" };
      const message = await this.#askModel(thread.messages);
      thread.messages.push(message);
      this.#take(thread, message.tool_calls ?? []);
      if ((message.tool_calls ?? []).length === 0) {
        this.#write(name, thread);
        return { status: "done", questions: [], text: message.content ?? "" };
      }
      await this.#finish(thread);
    }
  }

  #take(thread: Thread, calls: readonly WireCall[]): void {
    const fault = this.#fault;
    const lastResult = thread.messages.at(-2)?.content ?? "";
    for (const { id, function: wanted } of calls) {
      const tool = fault === "other-name" ? wanted.name.trim().toLowerCase() : wanted.name;
      const known = this.#tools.get(tool);
      if (fault === "unknown-tool" && wanted.name === "transfer") thread.isDead = true;
      if (fault === "not-json" && !isJson(wanted.arguments)) thread.isDead = true;
      const isFree =
        tool !== wanted.name ||
        (fault === "lie-in-a-result" && lastResult.includes('"decision"')) ||
        (fault === "same-call-id" && this.#approvedIds.has(id));
      const asks = known?.asks === true && isJson(wanted.arguments) && !isFree;
      const question = `q${thread.calls.length}-${id}`;
      if (asks) this.#asked.add(question);
      thread.calls.push({ id, question, tool, text: wanted.arguments, state: asks ? "open" : "approved" });
    }
  }

  async #askModel(messages: readonly Message[]): Promise<Message> {
    const response = await fetch(`${this.#modelUrl}/chat/completions`, {
      method: "POST",
      body: JSON.stringify({ model: "m", messages }),
    });
    const { choices } = (await response.json()) as { choices: readonly [{ readonly message: Message }] };
    return choices[0].message;
  }

  #read(name: string): Thread {
    const file = join(this.#folder, `${name}.json`);
    return existsSync(file)
      ? (JSON.parse(readFileSync(file, "utf8")) as Thread)
      : { messages: [], calls: [], isDead: false };
  }

  #write(name: string, thread: Thread): void {
    writeFileSync(join(this.#folder, `${name}.json`), JSON.stringify(thread));
  }
}

function openOf({ calls }: Thread): Call[] {
  return calls.filter(({ state }) => state === "open");
}

/** The fault that of equal calls which are approved together only the first runs. */
function denyTwins({ calls }: Thread): void {
  const approved = calls.filter(({ state }) => state === "approved");
  for (const twin of approved.slice(1)) if (twin.text === approved[0]!.text) twin.state = "denied";
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The value of a text, with exact integers. */
function readArguments(text: string, fault: string): Record<string, unknown> {
  const reviver = (key: string, value: unknown, { source = "" }: { source?: string } = {}) => {
    if (fault === "proto" && key === "__proto__") return undefined;
    const isUnsafe = typeof value === "number" && /^-?\d+$/.test(source) && !Number.isSafeInteger(value);
    return isUnsafe && fault !== "big-integer" ? BigInt(source) : value;
  };
  return JSON.parse(text, reviver) as Record<string, unknown>;
}
