import { Mastra } from "@mastra/core";
import { Agent } from "@mastra/core/agent";
import { InMemoryStore } from "@mastra/core/storage";
import type { Host } from "@toolmount/core";
import { toMastraTools, type AgentContext } from "@toolmount/interop";
import { chatApi } from "@toolmount/testing/providers";
import { expect, test } from "vitest";
import { agentWorld } from "./support/world.ts";

async function world() {
  const made = await agentWorld(chatApi);
  const model = { id: "local/m", url: made.server.baseUrl, apiKey: "k" } as const;
  const storage = new InMemoryStore(); // a store of runs, as a database is one
  const agentOf = (host: Host, more: AgentContext = {}) => {
    const tools = toMastraTools(host, host.tools(), { sessionId: "s", userId: "ann", ...more });
    const agent = new Agent({ id: "a", name: "a", instructions: "Work.", model, tools });
    return new Mastra({ agents: { a: agent }, storage, logger: false }).getAgent("a");
  };
  return { ...made, agentOf };
}

const prompt = "Read the note, then wipe the folder.";

test("a call that asks suspends the run; it is answered in another process, and runs once on another host", async () => {
  const { open, decide, ran, agentOf } = await world();
  const first = await agentOf(await open()).generate(prompt);
  expect(first.finishReason).toBe("suspended");
  expect(first.suspendPayload).toMatchObject({
    toolCallId: "call_2",
    suspendPayload: { tool: "wipe", arguments: { folder: "old" } },
  });
  expect(ran).toEqual(["read n-1"]);
  expect(await decide()).toBe("wipe");

  const host = await open();
  const last = await agentOf(host).resumeGenerate("decided", { runId: first.runId!, toolCallId: "call_2" });
  expect(last.text).toBe("The folder is gone.");
  expect(ran).toEqual(["read n-1", "wipe old"]);
  expect(await host.approvals.list()).toEqual([]);
});

test("the answer with which the run is resumed counts with answersAs", async () => {
  const { open, ran, agentOf, server } = await world();
  const agent = agentOf(await open(), { answersAs: "ann in the chat" });
  const { runId } = await agent.generate(prompt);
  const answer = { decision: "deny", reason: "not today" };
  await agent.resumeGenerate(answer, { runId: runId!, toolCallId: "call_2" });
  expect(ran).toEqual(["read n-1"]);
  expect(JSON.stringify(server.requests.at(-1))).toContain("not today");
});

test("an image of a result reaches the model", async () => {
  const { open, agentOf, server } = await world();
  await agentOf(await open()).generate(prompt);
  expect(JSON.stringify(server.requests[1])).toContain("note n-1");
  expect(JSON.stringify(server.requests[1])).toContain("iVBORw0KGgo");
});
