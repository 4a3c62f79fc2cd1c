import { createHost, createMemoryStore, data, defineTool, type Clock, type Host } from "@toolmount/core";
import { toLangChainTools, type LangChainContext } from "@toolmount/interop";
import { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, type BaseMessage, type ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { createReactAgent, ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent } from "langchain";
import { expect } from "vitest";
import { z } from "zod";

/** One answer with a free call and three that ask. */
export const asked = ["ada", "bob", "eve"] as const;
const toolCalls = [
  { name: "look", args: { to: "all" }, id: "c0", type: "tool_call" as const },
  ...asked.map((to, at) => ({ name: "pay", args: { to }, id: `c${at + 1}`, type: "tool_call" as const })),
];

/** A model that asks for all calls at once, and then says that it is done. */
class Model extends BaseChatModel {
  _llmType() {
    return "scripted";
  }
  override bindTools() {
    return this as never;
  }
  async _generate(messages: BaseMessage[]) {
    const isDone = messages.some((message) => message.getType() === "tool");
    const message = isDone ? new AIMessage("done") : new AIMessage({ content: "", tool_calls: toolCalls });
    return { generations: [{ text: "", message }] };
  }
}

type Tools = ReturnType<typeof toLangChainTools>;

/** The ways in which LangGraph runs the calls of an answer: as one step, or each as its own. */
export const graphs = {
  "a graph with ToolNode": (tools: Tools, checkpointer: MemorySaver) =>
    new StateGraph(MessagesAnnotation)
      .addNode("model", async ({ messages }) => ({ messages: [await new Model({}).invoke(messages)] }))
      .addNode("tools", new ToolNode(tools))
      .addEdge("__start__", "model")
      .addConditionalEdges("model", ({ messages }) =>
        (messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : "__end__",
      )
      .addEdge("tools", "model")
      .compile({ checkpointer }),
  "createReactAgent v1": (tools: Tools, checkpointSaver: MemorySaver) =>
    createReactAgent({ llm: new Model({}), tools, checkpointSaver, version: "v1" }),
  "createReactAgent v2": (tools: Tools, checkpointSaver: MemorySaver) =>
    createReactAgent({ llm: new Model({}), tools, checkpointSaver, version: "v2" }),
  "createAgent of langchain": (tools: Tools, checkpointer: MemorySaver) =>
    createAgent({ model: new Model({}), tools, checkpointer }),
} as const;

export interface Question {
  readonly id: string;
  readonly arguments: { readonly to: string };
}

export interface Graph {
  invoke(input: unknown, config: object): Promise<{ messages: BaseMessage[] }>;
  getState(config: object): Promise<{
    values: { messages?: BaseMessage[] };
    tasks: readonly { interrupts: readonly { value?: unknown }[]; result?: unknown }[];
  }>;
}

/** A process that ends before or after one of its operations: from then on nothing of it happens. */
export class Process {
  readonly died = Promise.withResolvers<"died">();
  #left: number;

  constructor(operations = Number.POSITIVE_INFINITY) {
    this.#left = operations;
  }

  /** Does one operation, unless the process ends before it or after it. */
  async act<Value>(operation: () => Value | Promise<Value>): Promise<Value> {
    await this.#step();
    const value = await operation();
    await this.#step();
    return value;
  }

  #step(): Promise<void> | void {
    if (this.#left-- > 0) return;
    this.died.resolve("died");
    return new Promise(() => {});
  }

  get isDead(): boolean {
    return this.#left < 0;
  }

  /** An object whose asynchronous methods are operations of this process. */
  wrap<Thing extends object>(thing: Thing, methods: readonly string[]): Thing {
    return new Proxy(thing, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name);
        if (typeof value !== "function") return value;
        const method = value.bind(target) as (...given: unknown[]) => unknown;
        if (!methods.includes(String(name))) return method;
        return (...given: unknown[]) => this.act(() => method(...given));
      },
    });
  }
}

/** What outlives a process: the store of hosts, the threads of LangGraph, the time, and what the tools did. */
export function graphWorld(
  kind: keyof typeof graphs,
  context: LangChainContext = { answersAs: "ann in the chat" },
) {
  const store = createMemoryStore();
  const checkpointer = new MemorySaver();
  const ran: string[] = [];
  let now = 1_000_000;
  const clock: Clock = { now: () => now, setTimer: () => ({ cancel: () => {}, keepAlive: () => {} }) };
  const open = (process = new Process()): { host: Host; graph: Graph } => {
    const { approvals, sessions } = store;
    const host = createHost({
      clock,
      store: {
        ...store,
        approvals: process.wrap(approvals, ["add", "replace", "findByTicket", "list"]),
        sessions: process.wrap(sessions, ["append", "entries", "trim"]),
      },
    });
    for (const name of ["look", "pay"])
      host.coordinator.mount(
        "tools",
        defineTool({
          name,
          description: `Tries to ${name}. Use in tests.`,
          schema: z.strictObject({ to: z.string() }),
          category: "side_effect",
          consequenceLevel: "low",
          requiresConfirmation: name === "pay",
          execute: ({ to }) =>
            process.act(() => {
              ran.push(`${name} ${to}`);
              return data(`${name} ${to}`);
            }),
        }),
      );
    const tools = toLangChainTools(host, host.tools(), { userId: "ann", ...context });
    const saver = process.wrap(checkpointer, ["getTuple", "put", "putWrites"]);
    return { host, graph: graphs[kind](tools, saver) };
  };
  return { open, ran, later: () => (now += 600_000) };
}

export const input = { messages: [new HumanMessage("Look, then pay.")] };
/** A new one each time: LangGraph writes the checkpoint into it. */
export const config = () => ({ configurable: { thread_id: "t-1" } });

/** What a process that knows nothing but the thread does next: it begins, answers the next questions, or resumes the run. */
export async function nextInput(
  graph: Graph,
  answer: (questions: readonly Question[]) => unknown,
): Promise<unknown> {
  const { tasks, values } = await graph.getState(config());
  if (tasks.length === 0 && values.messages === undefined) return input;
  // LangGraph keeps the interrupts of a task that has ended.
  const shown = tasks.flatMap(({ interrupts, result }) => (result === undefined ? interrupts : []));
  if (shown.length === 0) return null;
  const questions = shown.flatMap(({ value }) => (value as { questions: readonly Question[] }).questions);
  return new Command({ resume: answer(questions) });
}

/** The results of the thread by call id, once it has ended. */
export async function resultsOf(graph: Graph): Promise<Record<string, string> | null> {
  const { tasks, values } = await graph.getState(config());
  const messages = values.messages ?? [];
  if (tasks.length > 0 || messages.at(-1)?.text !== "done") return null;
  const results = messages.filter((message): message is ToolMessage => message.getType() === "tool");
  expect(results).toHaveLength(4);
  return Object.fromEntries(results.map((message) => [message.tool_call_id, message.text]));
}

/** All orders of a list. */
export function orders<Value>(values: readonly Value[]): Value[][] {
  if (values.length === 0) return [[]];
  return values.flatMap((first) =>
    orders(values.filter((one) => one !== first)).map((rest) => [first, ...rest]),
  );
}

export type Decisions = Readonly<Record<string, boolean>>;
export const decisions: readonly Decisions[] = Array.from({ length: 8 }, (_, bits) =>
  Object.fromEntries(asked.map((to, at) => [to, ((bits >> at) & 1) === 1])),
);

/** What the tools of allowed calls did. */
const allowed = (decided: Decisions) => asked.filter((to) => decided[to]).map((to) => `pay ${to}`);
export const answerFor = ({ id, arguments: { to } }: Question, decided: Decisions) => ({
  id,
  decision: decided[to] ? "approve" : "deny",
  reason: `because of ${to}`,
});

/** Another process gives each answer, in this order. Resolves to what ran, and to the results by call id. */
export async function answerInOrder(
  kind: keyof typeof graphs,
  order: readonly string[],
  decided: Decisions,
): Promise<{ readonly ran: readonly string[]; readonly results: Readonly<Record<string, string>> }> {
  const { open, ran } = graphWorld(kind);
  const left = [...order];
  const answer = (questions: readonly Question[]) => {
    const to = left.shift();
    return answerFor(
      questions.find((one) => one.arguments.to === to)!,
      decided,
    );
  };
  for (let turns = 0; turns < 5; turns++) {
    const { graph } = open();
    const results = await resultsOf(graph);
    if (results !== null) return { ran: ran.toSorted(), results };
    await graph.invoke(await nextInput(graph, answer), config());
  }
  throw new Error("the run does not end");
}

/** What {@link answerInOrder} resolves to when each answer reaches its own call, and each call runs once. */
export function rightlyAnswered(decided: Decisions): object {
  const results = asked.map((to, at) => [
    `c${at + 1}`,
    expect.stringContaining(decided[to] ? `pay ${to}` : `because of ${to}`) as string,
  ]);
  return {
    ran: ["look all", ...allowed(decided)].toSorted(),
    results: { c0: "look all", ...Object.fromEntries(results) },
  };
}
