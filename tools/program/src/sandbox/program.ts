import { nearestNames } from "@toolmount/core/text";
import type { QuickJSContext, QuickJSHandle, QuickJSWASMModule } from "quickjs-emscripten-core";
import type { Answer, End, Request, Start, Thrown, Turn } from "./messages.ts";
import { prelude } from "./prelude.ts";
import { stripTypeScriptTypes } from "node:module";

/** Bytes of the stack of a program; WebAssembly has one megabyte in all. */
const stackBytes = 262_144;
/** Characters that a program may print, return, or send with one call. */
const maxOutput = 65_536;
const maxText = 4_194_304;
/** The file name of a program in its errors. */
const file = "program.ts";

/** One program in its own engine. It computes until it waits for answers, then reports a turn. */
export class Program {
  readonly #context: QuickJSContext;
  readonly #report: (turn: Turn) => void;
  readonly #waiting = new Set<number>();
  readonly #requests: Request[] = [];
  #output = "";
  #printed = 0;
  #steps: number;
  #main: QuickJSHandle | null = null;
  #tools: Readonly<Record<"answer" | "value" | "describe", QuickJSHandle>> | null = null;
  #end: End | null = null;

  constructor(engine: QuickJSWASMModule, start: Start, report: (turn: Turn) => void) {
    this.#report = report;
    this.#steps = start.maxSteps;
    this.#context = engine.newContext();
    const { runtime } = this.#context;
    runtime.setMemoryLimit(start.memoryMb * 1_048_576);
    runtime.setMaxStackSize(stackBytes);
    runtime.setInterruptHandler(() => (this.#steps -= 1) < 0);
    this.#begin(start);
    this.#turn();
  }

  /** Continues the program with the answer of a call. */
  answer(answer: Answer): void {
    if (this.#end !== null || !this.#waiting.delete(answer.id)) return;
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
    this.#turn();
  }

  #begin(start: Start): void {
    const context = this.#context;
    const helpers = this.#evaluate(prelude, "prelude.js");
    const made = context.callFunction(
      helpers,
      context.undefined,
      context.newFunction("send", (id, name, given, stack) => {
        const { line } = placeIn(context.getString(stack));
        this.#waiting.add(context.getNumber(id));
        this.#requests.push({
          id: context.getNumber(id),
          name: context.getString(name),
          arguments: context.getString(given),
          line,
        });
      }),
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

  /** The program as a function. Null for a text that does not parse; then the end says why. */
  #load(source: string): QuickJSHandle | null {
    const context = this.#context;
    if (!mayHaveTypes(source)) {
      const plain = context.evalCode(before + source + after, file);
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

  /** Computes all that can be computed, and reports it. */
  #turn(): void {
    if (this.#end === null) this.#run();
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
    const state = this.#context.getPromiseState(this.#main!);
    if (state.type === "rejected") return this.#fail(state.error);
    if (state.type === "fulfilled") return this.#finish(state.value);
    if (this.#waiting.size === 0) this.#end = { limit: "stuck" };
  }

  #finish(value: QuickJSHandle): void {
    const context = this.#context;
    const text = context.callFunction(this.#tools!.value, context.undefined, value);
    if (text.error) return this.#fail(text.error);
    if (context.typeof(text.value) !== "string") this.#end = { value: null };
    else {
      const json = context.getString(text.value);
      this.#end = json.length > maxText ? { limit: "result" } : { value: json };
    }
  }

  #fail(error: QuickJSHandle): void {
    if (this.#steps < 0) {
      this.#end = { limit: "steps" };
      return;
    }
    const context = this.#context;
    const said = context.callFunction(this.#tools!.describe, context.undefined, error);
    if (said.error) this.#end = { limit: "memory" };
    else this.#end = endOf(JSON.parse(context.getString(said.value)) as Thrown & { stack?: string });
  }
}

/** Returns what the error of a program says, with the place of the program's own code that its stack names first. */
function endOf({ name, message, code, stack = "" }: Thrown & { stack?: string }): End {
  if (name === "InternalError" && message === "out of memory") return { limit: "memory" };
  const { line, column } = placeIn(stack);
  return {
    thrown: {
      name,
      message: message.slice(0, 2_000),
      ...(code === undefined ? {} : { code: code.slice(0, 200) }),
      ...(line === null ? {} : { line }),
      ...(column === null ? {} : { column }),
    },
  };
}

/** The place of the program's own code that a stack names first. The program begins in the second line of its file. */
function placeIn(stack: string): { readonly line: number | null; readonly column: number | null } {
  const [, line, column] = /program\.ts:(\d+)(?::(\d+))?/.exec(stack) ?? [];
  return {
    line: line === undefined ? null : Math.max(1, Number(line) - 1),
    column: column === undefined ? null : Number(column),
  };
}

function hintFor(name: string, names: readonly string[]): string {
  const [nearest] = nearestNames(name, names);
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

const before = "(async () => {\n";
const after = "\n})";

/**
 * Whether a text that is JavaScript may mean something else in TypeScript. That is so only for type arguments, as in
 * `f<T>(x)`, which JavaScript reads as two comparisons. All other types are no JavaScript, so the engine refuses them.
 */
function mayHaveTypes(source: string): boolean {
  const from = source.indexOf("<");
  return from >= 0 && /(?<!=)>\s*[(`/]/.test(source.slice(from));
}

/**
 * A program as a function of JavaScript: its types become blanks, so that each character keeps its place. What cannot be
 * stripped, such as an enum, and most mistakes come back as the error. Its lines begin at the second.
 */
function toJavaScript(source: string): { readonly code: string } | { readonly thrown: Thrown } {
  try {
    return { code: stripTypeScriptTypes(before + source + after) };
  } catch (error) {
    const { message, stack = "" } = error instanceof Error ? error : new Error(String(error));
    // Node shows the lines around the mistake, with a mark below it.
    const [, line, marked = ""] = /^:(\d+)\n(?:.*\n){0,9}?( *)\^/.exec(stack) ?? [];
    return {
      thrown: {
        name: "SyntaxError",
        message,
        ...(line === undefined ? {} : { line: Math.max(1, Number(line) - 1), column: marked.length + 1 }),
      },
    };
  }
}
