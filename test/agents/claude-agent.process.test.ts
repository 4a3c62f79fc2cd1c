import { createSdkMcpServer } from "@anthropic-ai/claude-agent-sdk";
import { toClaudeAgentTools } from "@toolmount/interop";
import { anthropicApi } from "@toolmount/testing/providers";
import { expect, test } from "vitest";
import { agentWorld } from "./support/world.ts";

/** Claude Code's requests are its own: only what it says of our tools is looked at. */
const lenient = { ...anthropicApi, check: () => [] };

test("the tools of a host are those of an SDK server: a call runs, one that asks waits, and its result comes later", async () => {
  const { open, decide, ran } = await agentWorld(lenient, []);
  const host = await open();
  const agent = toClaudeAgentTools(host, host.tools(), { sessionId: "s", userId: "ann" });
  const server = createSdkMcpServer({ name: "tm", version: "1.0.0", tools: agent.tools });
  expect(server).toMatchObject({ type: "sdk", name: "tm" });
  const handlerOf = (name: string) => agent.tools.find((tool) => tool.name === name)!.handler;
  const extra = (id: string) => ({ _meta: { "claudecode/toolUseId": id } });
  const read = await handlerOf("read_note")({ id: "n-1" }, extra("a"));
  expect(read.content.map(({ type }) => type)).toEqual(["text", "image"]);
  const asked = await handlerOf("wipe")({ folder: "old" }, extra("b"));
  expect(asked).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining("waiting") as string }],
  });
  await decide();

  const other = await open();
  const resumed = toClaudeAgentTools(other, other.tools(), { sessionId: "s", userId: "ann" });
  expect(await resumed.resume()).toContain('{"wiped":"old"}');
  expect(await resumed.resume()).toBeNull();
  expect(ran).toEqual(["read n-1", "wipe old"]);
});

test("a call that was resumed is not among those that wait", async () => {
  const { open, decide } = await agentWorld(lenient, []);
  const host = await open();
  const agent = toClaudeAgentTools(host, host.tools(), { sessionId: "s", userId: "ann" });
  const wipe = agent.tools.find(({ name }) => name === "wipe")!;
  await wipe.handler({ folder: "old" }, { _meta: { "claudecode/toolUseId": "b" } });
  expect(agent.waiting()).toEqual(["b"]);
  await decide();
  expect(await agent.resume()).toContain('{"wiped":"old"}');
  expect(agent.waiting()).toEqual([]);
});
