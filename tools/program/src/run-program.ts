import {
  defineTool,
  failure,
  systemClock,
  type Clock,
  type Json,
  type Omission,
  type ToolContext,
  type ToolOutcome,
} from "@toolmount/core";
import { z } from "zod";
import { answerOf } from "./answer.ts";
import { config, type ParsedSettings, type Settings } from "./config.ts";
import type { Answer, Request, Start } from "./sandbox/messages.ts";
import { ThreadEnded, Threads } from "./sandbox/threads.ts";
import { describerOf, noTools, toolsForPrograms, type Services } from "./services.ts";
import { runProgramUsage as usage } from "./usage.ts";

const schema = z.strictObject({
  source: z
    .string()
    .regex(/\S/, "source is required")
    .max(262_144)
    // A carriage return ends a line of code, but people would not see it. So the text that they are shown has only line feeds.
    .overwrite((text) => text.replaceAll(/\r\n?/g, "\n"))
    .describe(
      "TypeScript, the body of an async function: await tools.read_file({ file_path }); failures throw; return a summary",
    ),
});

/**
 * Makes the tool `run_program`, which runs programs that call tools. Each of these calls is checked, decided, limited and
 * recorded like any call of the host.
 */
export function createRunProgram(
  given: Settings = {},
  services: Services = noTools,
  threads: Threads = new Threads(config.parse(given).memory_mb),
  clock: Clock = systemClock,
) {
  const settings = config.parse(given);
  const run = async ({ source }: z.output<typeof schema>, context: ToolContext) => {
    const kept = keepFacts(context, clock);
    try {
      const tools = await toolsForPrograms(services, settings.tools, context);
      const start = {
        source,
        names: tools.map(({ name }) => name),
        ...kept.facts,
        maxSteps: settings.max_steps,
      };
      const calls = new Calls(settings, services, context, start);
      const { end, output } = await threads.run(
        start,
        (request) => calls.answer(request),
        context.abortSignal,
      );
      kept.forget();
      return answerOf(end, start, calls, output);
    } catch (error) {
      if (error instanceof ThreadEnded)
        return failure(`The program was ended: ${error.message}.`, { code: "PROGRAM_LIMIT" });
      if (error instanceof TooManyCalls) return failure(error.message, { code: "PROGRAM_LIMIT" });
      throw error;
    }
  };
  return defineTool({
    name: "run_program",
    description:
      "Runs a TypeScript program that calls tools, without files, network or imports, and returns what it returns. Use for work of many calls, such as a loop over files, not for one call; each of its calls is decided as if it was made directly.",
    summary: "Runs a program that calls tools.",
    usage,
    schema,
    category: "side_effect",
    consequenceLevel: "low",
    requiresConfirmation: false,
    control: [],
    content: [],
    repeatable: true,
    timeout: 600_000,
    tags: ["programs"],
    version: "1.0.0",
    execute: run,
    // The program has no effects except those of its calls, which are part of the rehearsal.
    preview: async (params, context) => ({ effects: [], result: await run(params, context) }),
  });
}

/**
 * Returns the time and the random seed of a program. The session keeps them while the program waits for a person, so that its
 * second run sees the same values. Without a session there are none, and a program that asks for them gets an error.
 */
function keepFacts({ session, callId, sessionId }: ToolContext, clock: Clock) {
  if (sessionId === undefined) return { facts: { now: null, seed: 0 }, forget: () => {} };
  const key = `run_program ${callId}`;
  const kept = session.get(key);
  const facts = isFacts(kept) ? kept : { now: clock.now(), seed: Math.floor(Math.random() * 2 ** 32) };
  if (kept === undefined) session.set(key, facts);
  return { facts, forget: () => void session.delete(key) };
}

function isFacts(kept: Json | undefined): kept is { now: number; seed: number } {
  return typeof kept === "object" && kept !== null && "now" in kept && "seed" in kept;
}

class TooManyCalls extends Error {}

/** Makes the calls of one program: a limited number at the same time, the others in the order in which they came. */
class Calls {
  readonly #settings: ParsedSettings;
  readonly #services: Services;
  readonly #context: ToolContext;
  readonly #queue: (() => void)[] = [];
  readonly #lines: readonly string[];
  readonly #names: ReadonlySet<string>;
  #running = 0;
  made = 0;
  /** What the results of the program's calls left out. The program itself does not get it. */
  readonly omitted: Omission[] = [];

  constructor(
    settings: ParsedSettings,
    services: Services,
    context: ToolContext,
    { source, names }: Pick<Start, "source" | "names">,
  ) {
    [this.#settings, this.#services, this.#context] = [settings, services, context];
    this.#lines = source.split("\n");
    this.#names = new Set(names);
  }

  async answer(request: Request): Promise<Answer> {
    if (++this.made > this.#settings.max_calls)
      throw new TooManyCalls(`The program made more than ${this.#settings.max_calls} calls.`);
    if (this.#running >= this.#settings.parallel)
      await new Promise<void>((resolve) => this.#queue.push(resolve));
    this.#running++;
    try {
      const { arguments: given, line } = request;
      const name = this.#toolOf(request.name);
      if (name === null)
        return { type: "answer", id: request.id, error: "it is no tool of programs", code: "NO_SUCH_TOOL" };
      const place = line === null ? undefined : { line, code: this.#lines[line - 1] ?? "" };
      return this.#toAnswer(request.id, await this.#context.call({ name, arguments: given, place }));
    } finally {
      this.#running--;
      this.#queue.shift()?.();
    }
  }

  #toAnswer(id: number, { tool, status, result }: ToolOutcome): Answer {
    if (status !== "ok" || result.error !== undefined) {
      const error = result.error ?? `${tool} ended as ${status}`;
      return { type: "answer", id, error, code: result.code ?? "TOOL_FAILED" };
    }
    for (const each of result.omitted ?? []) this.omitted.push({ ...each, what: `${each.what} (${tool})` });
    return { type: "answer", id, data: JSON.stringify(valueOf(result)) };
  }

  /**
   * Returns the tool to call. For `findTools` and `describeTools` of a program, this is `describe_tools`. Null for an unknown
   * name, which the sandbox passes on only if a program has broken its engine.
   */
  #toolOf(name: string): string | null {
    if (name === question) return describerOf(this.#services, this.#context.tool);
    return this.#names.has(name) ? name : null;
  }
}

/** The name with which a program asks about tools; no tool has this name. */
const question = "?describe";

/** Returns what a program gets from a call: the data, or the texts if the result has only texts. */
function valueOf({ data: value, content }: ToolOutcome["result"]): unknown {
  if (value !== undefined && value !== null) return value;
  const texts = (content ?? []).flatMap((block) => (block.type === "text" ? [block.text] : []));
  return texts.length === 0 ? null : texts.join("\n");
}
