import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type {
  Answer,
  HostAdapter,
  ListedCall,
  Question,
  TrialTool,
  TrialWorld,
  Turn,
} from "../../src/contract.ts";
import type { PlantedFault } from "./faults.ts";
import { askModel, isJson, runCall, shownText } from "./calls.ts";
import {
  type Call,
  denyTwins,
  endCall,
  hasEnded,
  openOf,
  readThread,
  type Thread,
  type WireCall,
  writeThread,
} from "./thread.ts";

/**
 * A host of a few lines that keeps every promise but the one that its fault names. It asks a model and a person, and keeps its
 * threads as files. It is there to be caught, and is no example.
 */
export function plantedHost(fault: PlantedFault): HostAdapter {
  return {
    name: `planted: ${fault}`,
    version: "1",
    can: ["resume", "edit", "crash", "cancel", "withdraw", "limit", "undo", "lists", "people", "agents"],
    delegation: { tool: "helper", task: "task" },
    start: async (world) => {
      const host = new PlantedHost(fault, world);
      return {
        say: (thread, message) => host.say(thread, message),
        answer: (thread, answers) => host.answer(thread, answers),
        resume: (thread) => host.resume(thread),
        cancel: async (thread) => host.cancel(thread),
        withdraw: (thread) => host.withdraw(thread),
        undo: (thread) => host.undo(thread),
        list: async (thread, calls) => host.askList(thread, calls),
        open: async (thread) => host.list(thread),
      };
    },
  };
}

/** The thread of the sub-agent that a thread begins. */
const helperOf = (name: string) => `${name}.helper`;

class PlantedHost {
  readonly #fault: PlantedFault;
  readonly #world: TrialWorld;
  readonly #tools: ReadonlyMap<string, TrialTool>;
  /** Questions that this process has asked, those that it has decided, and ids that it has approved. */
  readonly #asked = new Set<string>();
  readonly #decided = new Set<string>();
  readonly #approvedIds = new Set<string>();
  readonly #cancelled = new Set<string>();
  readonly #listed = new Set<string>();

  constructor(fault: PlantedFault, world: TrialWorld) {
    this.#fault = fault;
    this.#world = world;
    this.#tools = new Map(world.tools.map((tool) => [tool.name, tool]));
  }

  async say(name: string, content: string): Promise<Turn> {
    const thread = this.#read(name);
    // After a denial only a message that leads to another call is taken, so that only one row sees it.
    const isTaken = this.#fault === "after-a-denial" && content.includes("pay");
    if (thread.isDead && !isTaken) throw new Error("the thread is dead");
    const isYes = this.#fault === "message-while-waiting" && content.includes("yes");
    for (const call of openOf(thread)) call.state = isYes ? "approved" : "denied";
    if (this.#fault !== "cancelled-nothing") this.#cancelled.delete(name);
    await this.#finish(name, thread);
    thread.messages.push({ role: "user", content });
    thread.requests = 0;
    return this.#turn(name, thread);
  }

  async answer(name: string, answers: readonly Answer[]): Promise<Turn> {
    const thread = this.#read(name);
    const helped = thread.calls.find(({ state }) => state === "helping");
    if (helped !== undefined) return this.#answerHelper(name, thread, helped, answers);
    // Both processes read before either writes.
    if (this.#fault === "two-processes") await setTimeout(500);
    if (answers.some(({ by }) => by === "stranger") && this.#fault !== "may-not-answer")
      throw new Error("a stranger may not answer");
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
    await this.#finish(name, thread);
    const forgets = this.#asked.has(answers[0]!.question) ? "limit-and-answers" : "limit-and-restarts";
    if (this.#fault === forgets) thread.requests = 0;
    return this.#turn(name, thread);
  }

  /** Continues what a death cut: a call whose tool had begun may have run, and what was not decided can be decided. */
  async resume(name: string): Promise<Turn> {
    const thread = this.#read(name);
    for (const call of thread.calls.filter(({ state }) => state === "running")) {
      call.wasCut = true;
      endCall(thread, call, "it may have run");
    }
    if (this.#fault !== "dies-anywhere")
      for (const call of openOf(thread)) rmSync(this.#claimOf(name, call), { recursive: true, force: true });
    await this.#finish(name, thread);
    const last = thread.messages.at(-1);
    if (last?.role === "assistant" && last.tool_calls === undefined)
      return { status: "done", questions: [], text: last.content ?? "" };
    return this.#turn(name, thread);
  }

  /** The folder that the process makes which takes an approval. */
  #claimOf(name: string, { question }: Call): string {
    return join(this.#world.folder, `${name}-${question}`);
  }

  async #answerHelper(name: string, thread: Thread, call: Call, answers: readonly Answer[]): Promise<Turn> {
    const { status, text } = await this.answer(helperOf(name), answers);
    if (status !== "waits") endCall(thread, call, text);
    return this.#turn(name, thread);
  }

  cancel(name: string): void {
    if (this.#fault !== "cancelled-turn") this.#cancelled.add(name);
  }

  async withdraw(name: string): Promise<void> {
    if (this.#fault === "withdrawn") return;
    const thread = this.#read(name);
    for (const call of openOf(thread)) endCall(thread, call, "revoked");
    thread.calls.length = 0;
    writeThread(this.#world.folder, name, thread);
  }

  /** Undoes what the calls of a thread paid, each once. */
  async undo(name: string): Promise<void> {
    const thread = this.#read(name);
    for (const call of thread.calls.filter(({ tool, isUndone }) => tool === "pay" && isUndone !== true)) {
      await this.#tools.get("pay")!.undo!(JSON.parse(call.text));
      call.isUndone = this.#fault !== "undone-once";
    }
    writeThread(this.#world.folder, name, thread);
  }

  /** One question for several calls. */
  askList(name: string, calls: readonly ListedCall[]): Question {
    const thread = this.#read(name);
    const question = `list-${thread.calls.length}`;
    thread.calls.push({ id: question, question, tool: "list", text: JSON.stringify(calls), state: "open" });
    writeThread(this.#world.folder, name, thread);
    return { id: question, tool: "list", arguments: calls };
  }

  list(name: string): readonly Question[] {
    const questions = this.open(name);
    for (const { id } of questions) this.#listed.add(id);
    return questions;
  }

  open(name: string): readonly Question[] {
    const thread = this.#read(name);
    if (thread.calls.some(({ state }) => state === "helping")) return this.open(helperOf(name));
    return openOf(thread).map(({ question, tool, text }) => ({
      id: question,
      tool,
      arguments: shownText(text, this.#fault),
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
      return this.#decided.size === 1 ? Object.assign(named, { state: "open" as const }) : undefined;
    const isOwn = this.#asked.has(question);
    const isUsedAgain =
      named.tool === "list"
        ? fault === "list-once"
        : isOwn
          ? fault === "answer-twice"
          : fault === "used-before-the-death" && named.wasCut !== true && hasEnded(named.answeredIn);
    const isOverruled = fault === "denied-by-another" && !this.#decided.has(question);
    if (named.wasDenied === true ? isOverruled : isUsedAgain) await this.#run(named);
    return undefined;
  }

  #decide(name: string, thread: Thread, call: Call, { approve, arguments: edited }: Answer): void {
    const fault = this.#fault;
    if (edited !== undefined && fault !== "edited") call.text = JSON.stringify(edited);
    const isTaken = approve || this.#takesDenial(name, call);
    // One process takes an approval.
    if (isTaken && fault !== "two-processes") mkdirSync(this.#claimOf(name, call));
    call.state = isTaken ? "approved" : "denied";
    call.wasDenied = !isTaken;
    call.answeredIn = process.pid;
    this.#decided.add(call.question);
    if (fault === "five" && thread.calls.length > 4 && call === thread.calls[4]) call.state = "denied";
    if (fault === "after-a-denial" && !approve) thread.isDead = true;
    if (isTaken) this.#approvedIds.add(call.id);
    if (fault === "other-thread" && isTaken) void this.#approveIn("t2", call.id);
  }

  /** The faults that take a denial for an approval. */
  #takesDenial(name: string, { question, tool }: Call): boolean {
    if (this.#fault === "denied-elsewhere") return !this.#asked.has(question) && this.#listed.has(question);
    if (this.#fault === "sub-agent-denied") return name === helperOf("t1");
    return this.#fault === "rule-changed" && !this.#tools.get(tool)!.asks;
  }

  /** The fault that an approval is known by the model's id alone. */
  async #approveIn(name: string, id: string): Promise<void> {
    const call = openOf(this.#read(name)).find((one) => one.id === id);
    if (call !== undefined) await this.#run(call);
  }

  /** Runs what was approved, and adds to the messages what became of all that ended. */
  async #finish(name: string, thread: Thread): Promise<void> {
    for (const call of thread.calls.filter(({ state }) => state === "approved" || state === "denied")) {
      if (call.tool === "helper") await this.#help(name, thread, call);
      else endCall(thread, call, await this.#endOf(name, thread, call));
    }
  }

  async #endOf(name: string, thread: Thread, call: Call): Promise<string> {
    const fault = this.#fault;
    if (call.state === "denied") return "denied";
    if (fault === "sub-agent-approved" && name === helperOf("t1")) await this.#run(call);
    call.state = "running";
    writeThread(this.#world.folder, name, thread);
    const content = await this.#run(call);
    const isTooLong = fault === "long-result" && content.length > 500_000;
    const isOdd = fault === "odd-result" && content === "no text";
    const isGone = fault === "tool-removed" && call.tool === "pay" && !this.#tools.has("pay");
    if (isTooLong || isOdd || isGone) thread.isDead = true;
    return content;
  }

  /** Hands a task to the sub-agent, whose thread waits by itself. */
  async #help(name: string, thread: Thread, call: Call): Promise<void> {
    const { status, text } = await this.say(helperOf(name), String(JSON.parse(call.text).task));
    if (status === "waits") call.state = "helping";
    else endCall(thread, call, text);
  }

  async #run(call: Call): Promise<string> {
    if (call.tool === "list")
      for (const { tool, arguments: args } of JSON.parse(call.text) as ListedCall[])
        await this.#tools.get(tool)!.run(args);
    if (call.tool === "list") return "made";
    return runCall(call, this.#tools, this.#fault, this.#asked.size > 0);
  }

  async #turn(name: string, thread: Thread): Promise<Turn> {
    for (;;) {
      writeThread(this.#world.folder, name, thread);
      const questions = this.open(name);
      for (const { id } of questions) this.#asked.add(id);
      if (questions.length > 0) return { status: "waits", questions, text: "" };
      if (this.#cancelled.delete(name)) return { status: "refused", questions, text: "cancelled" };
      if (++thread.requests > this.#world.mostRequests)
        return { status: "refused", questions, text: "too many requests" };
      const message = await askModel(this.#world.modelUrl, thread.messages);
      thread.messages.push(message);
      this.#take(thread, message.tool_calls ?? []);
      if ((message.tool_calls ?? []).length === 0) {
        writeThread(this.#world.folder, name, thread);
        return { status: "done", questions: [], text: message.content ?? "" };
      }
      await this.#finish(name, thread);
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

  #read(name: string): Thread {
    return readThread(this.#world.folder, name);
  }
}
