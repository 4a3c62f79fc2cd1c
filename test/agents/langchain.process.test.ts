import { toLangChainTools, type LangChainContext } from "@toolmount/interop";
import type { Host } from "@toolmount/core";
import type { AIMessage } from "@langchain/core/messages";
import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import { Command, MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { createReactAgent, ToolNode } from "@langchain/langgraph/prebuilt";
import { ChatAnthropic } from "@langchain/anthropic";
import { anthropicApi } from "@toolmount/testing/providers";
import { createAgent } from "langchain";
import { describe, expect, test } from "vitest";
import { agentWorld } from "./support/world.ts";

async function world() {
  const made = await agentWorld(anthropicApi);
  const model = new ChatAnthropic({
    model: "m",
    apiKey: "k",
    anthropicApiUrl: made.server.baseUrl.replace(/\/v1$/, ""),
  });
  const toolsOf = (host: Host, more: LangChainContext = {}) =>
    toLangChainTools(host, host.tools(), { userId: "ann", ToolMessage, ...more });
  return { ...made, model, toolsOf };
}

const input = { messages: [new HumanMessage("Read the note, then wipe the folder.")] };
const config = { configurable: { thread_id: "t-1" } };

/** The libraries' own agents, over the same tools, without a cast. */
const agents = [
  {
    name: "createAgent of langchain",
    make: ({ model, toolsOf }: Made, host: Host, checkpointer: MemorySaver, more?: LangChainContext) =>
      createAgent({ model, tools: toolsOf(host, more), checkpointer }),
  },
  {
    name: "createReactAgent of langgraph",
    make: ({ model, toolsOf }: Made, host: Host, checkpointer: MemorySaver, more?: LangChainContext) =>
      createReactAgent({ llm: model, tools: toolsOf(host, more), checkpointSaver: checkpointer }),
  },
  {
    name: "a graph with ToolNode",
    make: ({ model, toolsOf }: Made, host: Host, checkpointer: MemorySaver, more?: LangChainContext) => {
      const tools = toolsOf(host, more);
      const bound = model.bindTools(tools);
      return new StateGraph(MessagesAnnotation)
        .addNode("model", async ({ messages }) => ({ messages: [await bound.invoke(messages)] }))
        .addNode("tools", new ToolNode(tools))
        .addEdge("__start__", "model")
        .addConditionalEdges("model", ({ messages }) =>
          (messages.at(-1) as AIMessage).tool_calls?.length ? "tools" : "__end__",
        )
        .addEdge("tools", "model")
        .compile({ checkpointer });
    },
  },
];

interface Interrupted {
  readonly __interrupt__: readonly {
    readonly value: { readonly questions: readonly { readonly id: string }[] };
  }[];
}

type Made = Awaited<ReturnType<typeof world>>;

describe.each(agents)("$name", ({ make }) => {
  test("a call that asks interrupts the graph; it is answered in another process, and runs once on another host", async () => {
    const made = await world();
    const checkpointer = new MemorySaver(); // a store of threads, as a database is one
    const first = await make(made, await made.open(), checkpointer).invoke(input, config);
    const question = { tool: "wipe", callId: "call_2", arguments: { folder: "old" } };
    expect(first).toMatchObject({ __interrupt__: [{ value: { questions: [question] } }] });
    expect(made.ran).toEqual(["read n-1"]);
    expect(await made.decide()).toBe("wipe");

    const host = await made.open();
    const last = await make(made, host, checkpointer).invoke(new Command({ resume: "decided" }), config);
    expect(last.messages.at(-1)!.text).toBe("The folder is gone.");
    expect(made.ran).toEqual(["read n-1", "wipe old"]);
    expect(await host.approvals.list()).toEqual([]);
  });

  test("an image of a result reaches the model", async () => {
    const made = await world();
    await make(made, await made.open(), new MemorySaver()).invoke(input, config);
    expect(JSON.stringify(made.server.requests[1])).toContain("iVBORw0KGgo");
  });

  test("the answer of the graph's own person counts with answersAs, and only then", async () => {
    const made = await world();
    const host = await made.open();
    const strict = make(made, host, new MemorySaver());
    await strict.invoke(input, config);
    const again = await strict.invoke(new Command({ resume: true }), config);
    expect(again).toHaveProperty("__interrupt__"); // the question is still open in the host
    expect(made.ran).toEqual(["read n-1"]);

    const other = await world();
    const checkpointer = new MemorySaver();
    const open = await other.open();
    const agent = make(other, open, checkpointer, { answersAs: "ann in the chat" });
    const { __interrupt__: asked } = (await agent.invoke(input, config)) as unknown as Interrupted;
    const { id } = asked[0]!.value.questions[0]!;
    await agent.invoke(new Command({ resume: { id, decision: "deny", reason: "not today" } }), config);
    expect(other.ran).toEqual(["read n-1"]);
    expect(JSON.stringify(other.server.requests[2])).toContain("not today");
  });
});
