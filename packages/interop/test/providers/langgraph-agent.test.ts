import { toLangChainTools } from "@toolmount/interop";
import { BaseChatModel, type BindToolsInput } from "@langchain/core/language_models/chat_models";
import { AIMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import type { StructuredToolInterface } from "@langchain/core/tools";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { expect, test } from "vitest";
import { hostWithAdd } from "../support/world.ts";

/** A model that asks for one call, and then answers with the call's result. */
class AddingModel extends BaseChatModel {
  readonly offered: string[] = [];

  override _llmType(): string {
    return "adding";
  }

  override bindTools(tools: BindToolsInput[]): this {
    this.offered.push(...tools.map((tool) => ("name" in tool ? String(tool.name) : "")));
    return this;
  }

  override async _generate(messages: BaseMessage[]) {
    const result = messages.findLast((message) => ToolMessage.isInstance(message));
    const message =
      result === undefined
        ? new AIMessage({ content: "", tool_calls: [{ id: "c-1", name: "add", args: { a: 2, b: 3 } }] })
        : new AIMessage(`The tool says ${result.text}`);
    return { generations: [{ text: message.text, message }] };
  }
}

test("an agent of createReactAgent calls our tool on the host, in its session, and answers with its result", async () => {
  const { host, heard } = await hostWithAdd();
  const llm = new AddingModel({});
  // Our type names only the members that run, so it needs a cast; at run time they are tools of LangChain.
  const tools = toLangChainTools(host, host.tools(), {
    sessionId: "s",
  }) as unknown as StructuredToolInterface[];
  const agent = createReactAgent({ llm, tools });
  const { messages } = await agent.invoke({ messages: [{ role: "user", content: "What is 2 + 3?" }] });

  expect(llm.offered).toContain("add");
  expect(heard).toEqual([["c-1", "s"]]);
  expect(messages.at(-1)?.text).toBe('The tool says {"sum":5}');
});
