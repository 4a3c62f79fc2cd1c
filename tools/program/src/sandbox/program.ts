import { nearestNames } from "@toolmount/core/text";
import type { QuickJSContext, QuickJSHandle } from "quickjs-emscripten-core";
import {
  notJson,
  type Answer,
  type End,
  type Request,
  type Start,
  type Thrown,
  type Turn,
} from "./messages.ts";
import { NoMemory, type Engine } from "./engine.ts";
import { prelude } from "./prelude.ts";
import { asFunction, mayHaveTypes, toJavaScript } from "./source.ts";
import { endOf, foundIn, isOutOfMemory, placeIn } from "./thrown.ts";

/** Bytes of a program's stack; WebAssembly has one megabyte in total. */
const stackBytes = 262_144;
/** Maximum number of characters that a program may print; and that it may return, or send with one call. */
const maxOutput = 65_536;
const maxText = 4_194_304;
/** Name of the program's file in its errors. */
const file = "program.ts";

/** Runs one program in its own engine. It computes until it waits for answers, and then reports a turn. */
export class Program {
  readonly #engine: Engine;
  readonly #context: QuickJSContext;
  readonly #report: (turn: Turn) => void;
  readonly #waiting = new Set<number>();
  readonly #requests: Request[] = [];
  #calls = 0;
  #output = "";
  #printed = 0;
  #steps: number;
  #main: QuickJSHandle | null = null;
  #tools: Readonly<Record<"answer" | "value" | "describe", QuickJSHandle>> | null = null;
  #end: End | null = null;

  constructor(engine: Engine, start: Start, report: (turn: Turn) => void) {
    this.#report = report;
    this.#steps = start.maxSteps;
    this.#engine = engine;
    this.#context = engine.module.newContext();
    const { runtime } = this.#context;
    runtime.setMaxStackSize(stackBytes);
    runtime.setInterruptHandler(() => (this.#steps -= 1) < 0);
    this.#guard(() => {
      this.#begin(start);
      this.#turn();
    });
  }

  /** Continues the program with the answer of a call. */
  answer(answer: Answer): void {
    if (this.#end !== null || !this.#waiting.delete(answer.id)) return;
    this.#guard(() => {
      this.#resolve(answer);
      this.#turn();
    });
  }

  #resolve(answer: Answer): void {
    const said =
      "data" in answer
        ? `{"data":${answer.data}}`
        : JSON.stringify({ error: answer.error, code: answer.code });
    const context = this.#context;
    const id = context.newNumber(answer.id);
    const given = context.newString(said);
    const { error } = context.callFunction(this.#tools!.answer, context.undefined, id, given);
    for (const handle of [id, given]) handle.dispose();
    if (error) this.#fail(error);
  }

  /** Does `work`, and ends the program if its memory is full. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      if (!(error instanceof NoMemory)) throw error;
      this.#end = { limit: "memory" };
      this.#sendTurn();
    }
  }

  #begin(start: Start): void {
    const context = this.#context;
    const helpers = this.#evaluate(prelude, "prelude.js");
    const made = context.callFunction(
      helpers,
      context.undefined,
      context.newFunction("send", (text) => this.#take(context.getString(text))),
      context.newFunction("print", (text) => this.#print(context.getString(text))),
      context.newFunction("nearest", (name) =>
        context.newString(hintFor(context.getString(name), start.names)),
      ),
      this.#evaluate(JSON.stringify(start.names), "names.js"),
      start.now === null ? context.null : context.newNumber(start.now),
      context.newNumber(start.seed),
      context.newNumber(maxText),
    );
    const tools = context.unwrapResult(made);
    this.#tools = {
      answer: context.getProp(tools, "answer"),
      value: context.getProp(tools, "value"),
      describe: context.getProp(tools, "describe"),
    };
    const code = this.#load(start.source);
    if (code === null) return;
    const main = context.callFunction(code, context.undefined);
    if (main.error) return this.#fail(main.error);
    this.#main = main.value;
  }

  /** Compiles the program as a function. Returns null if the text cannot be parsed; `#end` then says why. */
  #load(source: string): QuickJSHandle | null {
    const context = this.#context;
    if (!mayHaveTypes(source)) {
      const plain = context.evalCode(asFunction(source), file);
      if (!plain.error) return plain.value;
      plain.error.dispose();
    }
    const stripped = toJavaScript(source);
    if ("thrown" in stripped) this.#end = stripped;
    else {
      const code = context.evalCode(stripped.code, file);
      if (!code.error) return code.value;
      this.#fail(code.error);
    }
    return null;
  }

  /**
   * Handles the text of a call: its name, its arguments and its stack, each on a separate line. The prelude counts calls in the
   * same way, so both give a call the same id.
   */
  #take(text: string): void {
    const [name = "", given = "", ...stack] = text.split("\n");
    const id = ++this.#calls;
    this.#waiting.add(id);
    this.#requests.push({ id, name, arguments: given, line: placeIn(stack.join("\n")).line });
  }

  #evaluate(code: string, name: string): QuickJSHandle {
    return this.#context.unwrapResult(this.#context.evalCode(code, name));
  }

  #print(text: string): void {
    const room = maxOutput - this.#printed;
    if (room <= 0) return;
    const line = `${text.slice(0, room)}\n`;
    this.#printed += line.length;
    this.#output += line;
  }

  /** Computes as far as possible, and reports a turn. */
  #turn(): void {
    if (this.#end === null) this.#run();
    this.#sendTurn();
  }

  #sendTurn(): void {
    const turn: Turn = {
      type: "turn",
      requests: this.#requests.splice(0),
      output: this.#output,
      end: this.#end,
    };
    this.#output = "";
    this.#report(turn);
  }

  #run(): void {
    const jobs = this.#context.runtime.executePendingJobs();
    if (jobs.error) return this.#fail(jobs.error);
    // As long as there are calls to make, the end of the program is not reported; none of its code runs meanwhile.
    if (this.#requests.length > 0) return;
    const state = this.#context.getPromiseState(this.#main!);
    if (state.type === "rejected") return this.#fail(state.error);
    if (state.type === "fulfilled") return this.#finish(state.value);
    if (this.#waiting.size === 0) this.#end = { limit: "stuck" };
  }

  #finish(value: QuickJSHandle): void {
    const context = this.#context;
    const text = context.callFunction(this.#tools!.value, context.undefined, value);
    if (text.error) return this.#fail(text.error, notJson);
    if (context.typeof(text.value) !== "string") this.#end = { value: null };
    else {
      const json = context.getString(text.value);
      this.#end = json.length > maxText ? { limit: "result" } : { value: json };
    }
  }

  #fail(error: QuickJSHandle, before = ""): void {
    const isOver = this.#steps < 0;
    // The steps are used up; a few more are needed to find the place.
    if (isOver) this.#steps = 1;
    const thrown = this.#describe(error);
    if (isOver) this.#end = { limit: "steps", ...foundIn(thrown?.stack) };
    else if (thrown === null) this.#end = { limit: "memory" };
    else this.#end = endOf({ ...thrown, message: before + thrown.message });
  }

  /** Describes the error of a program; null if there is no memory for that. */
  #describe(error: QuickJSHandle): (Thrown & { readonly stack?: string }) | null {
    const context = this.#context;
    const said = context.callFunction(this.#tools!.describe, context.undefined, error);
    if (said.error) return null;
    const thrown = JSON.parse(context.getString(said.value)) as Thrown & { stack?: string };
    // If there is no memory for an error, the engine throws null.
    const isNull = thrown.message === "null" && thrown.stack === undefined;
    return (isNull && this.#engine.isFull()) || isOutOfMemory(thrown) ? null : thrown;
  }
}

function hintFor(name: string, names: readonly string[]): string {
  const [nearest] = nearestNames(name, names);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}
