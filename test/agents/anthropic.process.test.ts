import Anthropic from "@anthropic-ai/sdk";
import type { Host } from "@toolmount/core";
import { toAnthropicRunner, type AgentContext } from "@toolmount/interop";
import { anthropicApi } from "@toolmount/testing/providers";
import { expect, test } from "vitest";
import { agentWorld, throughJson } from "./support/world.ts";

type Messages = Anthropic.Beta.Messages.BetaMessageParam[];

const context: AgentContext = { sessionId: "s", userId: "ann" };

async function world() {
  const made = await agentWorld(anthropicApi);
  const client = new Anthropic({ apiKey: "k", baseURL: made.server.baseUrl.replace(/\/v1$/, "") });
  /** Runs the loop until it ends or waits. Returns the conversation as another process reads it, and the last text. */
  const run = async (host: Host, messages: Messages, stream = false) => {
    const { tools, waiting } = toAnthropicRunner(host, host.tools(), context);
    const runner = client.beta.messages.toolRunner({
      model: "m",
      max_tokens: 1_000,
      tools,
      messages,
      stream,
      thread: false,
    });
    const isResumed = messages.at(-1)!.role === "assistant";
    if (isResumed) {
      const results = await runner.generateToolResponse();
      if (waiting().length > 0) return { messages, text: null };
      runner.setMessagesParams((params) => ({ ...params, messages: [...messages, results!] }));
    }
    for await (const item of runner) {
      const message = "finalMessage" in item ? await item.finalMessage() : item;
      await runner.generateToolResponse();
      const { role, content } = message;
      if (waiting().length > 0)
        return { messages: throughJson([...runner.params.messages, { role, content }]), text: null };
      const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
      if (message.stop_reason === "end_turn") return { messages, text };
    }
    throw new Error("the runner ended without an answer");
  };
  return { ...made, run };
}

const prompt: Messages = [{ role: "user", content: "Read the note, then wipe the folder." }];

test.each([false, true])(
  "the tool runner waits for a call that asks; it is answered in another process, and runs once in a third, streamed: %s",
  async (stream) => {
    const { open, decide, ran, run, server } = await world();
    const { messages } = await run(await open(), prompt, stream);
    expect(ran).toEqual(["read n-1"]);
    expect((await run(await open(), messages, stream)).text).toBeNull(); // still open, and nothing is asked twice
    expect(server.requests).toHaveLength(2);
    expect(await decide()).toBe("wipe");

    const host = await open();
    expect((await run(host, messages, stream)).text).toBe("The folder is gone.");
    expect(ran).toEqual(["read n-1", "wipe old"]);
    expect(await host.approvals.list()).toEqual([]);
    expect(JSON.stringify(server.requests[1])).toContain("iVBORw0KGgo"); // the image of the note
  },
);

test("a denied call is an error result with its reason", async () => {
  const { open, decide, ran, run, server } = await world();
  const { messages } = await run(await open(), prompt);
  await decide("deny");
  await run(await open(), messages);
  expect(ran).toEqual(["read n-1"]);
  expect(JSON.stringify(server.requests[2])).toMatch(/not today.*"is_error":true|"is_error":true.*not today/);
});
