import { Agent, OpenAIProvider, Runner, RunState } from "@openai/agents";
import type { Host } from "@toolmount/core";
import { answerInterruptions, toOpenAIAgentsTools, type AgentContext } from "@toolmount/interop";
import { chatApi, responsesApi } from "@toolmount/testing/providers";
import { describe, expect, test } from "vitest";
import { agentWorld } from "./support/world.ts";

const context: AgentContext = { sessionId: "s", userId: "ann" };

describe.each([{ api: responsesApi }, { api: chatApi }])("Agents SDK over $api.name", ({ api }) => {
  async function world() {
    const made = await agentWorld(api);
    const modelProvider = new OpenAIProvider({
      apiKey: "k",
      baseURL: made.server.baseUrl,
      useResponses: api === responsesApi,
    });
    const runner = new Runner({ modelProvider, tracingDisabled: true });
    const agentOf = (host: Host, more: AgentContext = {}) =>
      new Agent({
        name: "a",
        model: "m",
        tools: toOpenAIAgentsTools(host, host.tools(), { ...context, ...more }),
      });
    return { ...made, runner, agentOf };
  }

  test("a call that asks interrupts the run; it is answered in another process, and runs once in a third", async () => {
    const { open, decide, ran, runner, agentOf } = await world();
    const first = await runner.run(agentOf(await open()), "Read the note, then wipe the folder.");
    expect(first.interruptions).toHaveLength(1);
    expect(ran).toEqual(["read n-1"]);
    const saved = first.state.toString();
    expect(await decide()).toBe("wipe");

    const host = await open();
    const agent = agentOf(host);
    const state = await RunState.fromString(agent, saved);
    expect(await answerInterruptions(host, state, context)).toBe(0);
    const last = await runner.run(agent, state);
    expect(last.finalOutput).toBe("The folder is gone.");
    expect(ran).toEqual(["read n-1", "wipe old"]);
  });

  test("an open question stays open, and a denial is the run's rejection with its reason", async () => {
    const { open, decide, ran, runner, agentOf, server } = await world();
    const host = await open();
    const agent = agentOf(host);
    const { state } = await runner.run(agent, "Read the note, then wipe the folder.");
    expect(await answerInterruptions(host, state, context)).toBe(1);
    await decide("deny");
    expect(await answerInterruptions(host, state, context)).toBe(0);
    await runner.run(agent, state);
    expect(ran).toEqual(["read n-1"]);
    expect(JSON.stringify(server.requests[2])).toContain("not today");
    const [question] = await host.approvals.list({ callId: "call_2", states: ["ended"] });
    expect(question!.end).toMatchObject({ status: "denied" });
  });

  test("the run's own approval counts with answersAs, and only then", async () => {
    for (const answersAs of [undefined, "ann in the chat"]) {
      const { open, ran, runner, agentOf } = await world();
      const agent = agentOf(await open(), { answersAs });
      const { state, interruptions } = await runner.run(agent, "Read the note, then wipe the folder.");
      state.approve(interruptions[0]!);
      await runner.run(agent, state);
      expect(ran).toEqual(answersAs === undefined ? ["read n-1"] : ["read n-1", "wipe old"]);
    }
  });
});
