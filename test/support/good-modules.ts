import {
  data,
  defineTool,
  failure,
  ToolError,
  type Coordinator,
  type JsonObject,
  type PartialResult,
} from "@toolmount/core";
import { InvokeResult } from "@toolmount/interop";
import { z } from "zod";

type Exports = Readonly<Record<string, unknown>>;

/** A small module without a fault. */
export interface GoodModule {
  readonly title: string;
  readonly module: Exports;
  readonly config?: JsonObject;
  readonly valid?: Readonly<Record<string, readonly JsonObject[]>>;
  readonly invalid?: Readonly<Record<string, readonly JsonObject[]>>;
  readonly manifest?: Record<string, unknown>;
}

/** An Aptix tool that keeps every rule. */
export class GoodAptixTool {
  static readonly ToolName: string = "agent_greet";
  static readonly ToolUsageMetadata: string = `agent_greet: greets a person by name

Primary purpose
Creates one greeting sentence for a named person.

Rules
- Use it when the user asks to be greeted. Do not use it for small talk.
- It changes nothing and may be called often.

Arguments
- name (string, required): whom to greet.

Error codes
- none: a blank name is answered with a sentence.

Good usage
- {"name":"Ada"}

Bad usage
- {"name":""}: there is no one to greet.`;

  static GetSchema(): Readonly<Record<string, unknown>> {
    return {
      type: "function",
      name: "agent_greet",
      description: "Greets a person by name. Use when the user asks to be greeted, not for small talk.",
      parameters: {
        type: "object",
        properties: { name: { type: "string", description: "Whom to greet" } },
        required: ["name"],
      },
    };
  }

  get Name(): string {
    return "agent_greet";
  }

  get IsToolFullyExecutedOnServer(): boolean {
    return true;
  }

  async ExecuteAsync(argumentsJson: string, _context: unknown, signal?: AbortSignal): Promise<InvokeResult> {
    if (argumentsJson.trim() === "")
      return InvokeResult.FromError("GreetTool requires a non-empty arguments object.");
    if (signal?.aborted === true) return InvokeResult.Create('{"WasCancelled":true}');
    const { name = "" } = JSON.parse(argumentsJson) as { name?: string };
    if (name.trim() === "") return InvokeResult.FromError("GreetTool requires a non-empty 'name' string.");
    return InvokeResult.Create(JSON.stringify({ Message: `Hello, ${name}!` }));
  }
}

const usage = (name: string, argument: string) => `${name}: one thing

Primary purpose
Does one thing.

Rules
- Use it when the user asks for it. Do not use it otherwise.

Arguments
- ${argument} (string, required): what to do it with.

Error codes
- NOT_FOUND: there is no such thing.

Good usage
- {"${argument}":"x"}

Bad usage
- {}: says nothing.`;

const native = {
  name: "read_note",
  description: "Reads one note. Use when the user names a note; to find notes, use search_notes instead.",
  usage: usage("read_note", "path"),
  schema: z.strictObject({ path: z.string().min(1).describe("Where the note is") }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
} as const;

const forged = {
  name: "get_weather",
  description: "Returns the weather of a city. Use when the user asks for it.",
  schema: z.object({ city: z.string() }),
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  version: "1.0.0",
  status: "active",
  async execute({ city }: { city: string }, { abortSignal }: { abortSignal?: AbortSignal }) {
    const stamp = { tool: "get_weather", fetchedAt: new Date(0).toISOString() };
    return abortSignal?.aborted === true
      ? { ...stamp, error: "Request was cancelled" }
      : { ...stamp, data: { city } };
  },
};

const amplifier = {
  name: "echo_text",
  description: "Returns its text.",
  input_schema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
  execute: async ({ text }: { text?: unknown }) =>
    typeof text === "string"
      ? { success: true, output: text, error: null }
      : { success: false, output: null, error: { message: "text is required", type: "ValueError" } },
};

function mounting(...tools: readonly unknown[]): Exports {
  return {
    mount: async (coordinator: Coordinator, _config: unknown) => {
      for (const tool of tools) coordinator.mount("tools", tool as never);
    },
  };
}

const read = (execute: (params: { path: string }) => unknown, changes: object = {}) =>
  defineTool({ ...native, ...changes, execute } as never);

class AptixWithServices extends GoodAptixTool {
  static override readonly ToolName = "agent_greet";
  static override readonly ToolUsageMetadata = GoodAptixTool.ToolUsageMetadata;
  static readonly inject = ["IAdminLogger", "IGreetingService"];
  constructor(readonlyLogger: unknown, service: unknown) {
    super();
    Object.assign(this, { readonlyLogger, service });
  }
}

class AptixOnClient extends GoodAptixTool {
  static override readonly ToolName = "agent_greet";
  static override readonly ToolUsageMetadata = GoodAptixTool.ToolUsageMetadata;
  override get IsToolFullyExecutedOnServer() {
    return false;
  }
}

const path = { read_note: [{ path: "a.txt" }] };

export const goodModules: readonly GoodModule[] = [
  {
    title: "one tool",
    module: mounting(read(() => data("text"))),
    valid: path,
    invalid: { read_note: [{}, { path: "" }] },
  },
  {
    title: "a tool that is returned",
    module: { mount: async (_: unknown, __: unknown) => read(() => data("text")) },
  },
  {
    title: "tools that are returned in a list",
    module: {
      mount: async (_: unknown, __: unknown) => [
        read(() => data(1)),
        read(() => data(2), { name: "count_words" }),
      ],
    },
  },
  {
    title: "tools that are returned with a cleanup",
    module: {
      mount: async (_: unknown, __: unknown) => ({ tools: [read(() => data(1))], cleanup: () => {} }),
    },
  },
  {
    title: "a tool that is mounted and returned",
    module: {
      mount: async (c: Coordinator, _: unknown) => {
        const tool = read(() => data(1));
        c.mount("tools", tool);
        return tool;
      },
    },
  },
  {
    title: "a config with defaults",
    module: {
      config: z.strictObject({ root: z.string(), max: z.int().default(3) }),
      mount: async (c: Coordinator, { max }: { max: number }) =>
        void c.mount(
          "tools",
          read(() => data(max)),
        ),
    },
    config: { root: "." },
    valid: path,
  },
  {
    title: "an expected failure",
    module: mounting(read(() => failure("no such note", { code: "NOT_FOUND" }))),
  },
  {
    title: "a ToolError",
    module: mounting(
      read(() => {
        throw new ToolError("no such note", { code: "NOT_FOUND" });
      }),
    ),
  },
  {
    title: "an output schema",
    module: mounting(read(() => data({ text: "x" }), { outputSchema: z.strictObject({ text: z.string() }) })),
    valid: path,
  },
  {
    title: "a tool that writes, which is not called with made-up arguments",
    module: mounting(
      read(() => expect("never called"), {
        name: "write_note",
        category: "write",
        control: ["path"],
        requiresConfirmation: true,
      }),
    ),
  },
  {
    title: "a tool that stops when it is cancelled",
    module: mounting(
      defineTool({
        ...native,
        execute: (_, { abortSignal }) =>
          new Promise<PartialResult>((resolve) => {
            const timer = setTimeout(() => resolve(data(1)), 20);
            abortSignal.addEventListener("abort", () => {
              clearTimeout(timer);
              resolve(failure("stopped"));
            });
          }),
      }),
    ),
    valid: path,
  },
  {
    title: "a hook and no tool",
    module: { mount: async (c: Coordinator, _: unknown) => void c.hooks.observe("tool:post", () => {}) },
  },
  {
    title: "a timer that a cleanup ends",
    module: {
      mount: async (c: Coordinator, _: unknown) => {
        const timer = setInterval(() => {}, 1000);
        c.registerCleanup(() => clearInterval(timer));
        c.mount(
          "tools",
          read(() => data(1)),
        );
      },
    },
  },
  {
    title: "a manifest that is true",
    module: mounting(read(() => data(1))),
    manifest: { tools: [{ name: "read_note", description: native.description, category: "read" }] },
  },
  {
    title: "texts in another language",
    module: mounting(
      read(() => data(1), {
        description: "Liest eine Notiz. Use when the user names a note, not for folders. می\u200cخواند.",
      }),
    ),
  },
  {
    title: "Tool-Forge, by Zod",
    module: mounting(forged),
    valid: { get_weather: [{ city: "Rome" }] },
    invalid: { get_weather: [{}] },
  },
  {
    title: "Tool-Forge, by JSON Schema",
    module: mounting({
      ...forged,
      schema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    }),
    valid: { get_weather: [{ city: "Rome" }] },
  },
  {
    title: "Tool-Forge, that deletes",
    module: mounting({ ...forged, name: "delete_city", category: "delete", requiresConfirmation: true }),
  },
  { title: "Amplifier, an object", module: mounting(amplifier), valid: { echo_text: [{ text: "hi" }] } },
  {
    title: "Amplifier, by get_schema",
    module: mounting({ ...amplifier, input_schema: undefined, get_schema: () => amplifier.input_schema }),
  },
  {
    title: "Amplifier, an instance of a class",
    module: mounting(
      new (class {
        get name() {
          return "echo_text";
        }
        get description() {
          return "Returns its text.";
        }
        readonly input_schema = amplifier.input_schema;
        execute = amplifier.execute;
      })(),
    ),
  },
  {
    title: "Amplifier, a whole module",
    module: {
      __amplifier_module_type__: "tool",
      mount: async (
        c: {
          mount(...parameters: unknown[]): unknown;
          register_contributor(...parameters: unknown[]): unknown;
        },
        _config: unknown,
      ) => {
        c.register_contributor("observability.events", "echo", () => ["echo:done"]);
        c.mount("tools", amplifier, "echo_text");
        return () => {};
      },
      on_session_ready: async (_: unknown) => {},
    },
  },
  {
    title: "Aptix, a class",
    module: mounting(GoodAptixTool),
    valid: { agent_greet: [{ name: "Ada" }] },
    invalid: { agent_greet: [{}, { name: 7 }] },
  },
  {
    title: "Aptix, an instance",
    module: mounting(new GoodAptixTool()),
    valid: { agent_greet: [{ name: "Ada" }] },
  },
  { title: "Aptix, with services that are not there", module: mounting(AptixWithServices) },
  { title: "Aptix, run by the client", module: mounting(AptixOnClient) },
];

function expect(what: string): never {
  throw new Error(what);
}
