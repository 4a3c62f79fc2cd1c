import { createOpenAI } from "@ai-sdk/openai";
import type { Host } from "@toolmount/core";
import { answerAiSdkApprovals, toAiSdkTools, type AgentContext } from "@toolmount/interop";
import { responsesApi } from "@toolmount/testing/providers";
import { generateText, stepCountIs, streamText, ToolLoopAgent, type ModelMessage, type ToolSet } from "ai";
import { describe, expect, test, vi } from "vitest";
import { agentWorld, throughJson } from "./support/world.ts";

const context: AgentContext = { sessionId: "s", userId: "ann" };

async function world() {
  const made = await agentWorld(responsesApi);
  const model = createOpenAI({ apiKey: "k", baseURL: made.server.baseUrl })("m");
  const toolsOf = (host: Host, more: AgentContext = {}): ToolSet =>
    toAiSdkTools(host, host.tools(), { ...context, ...more });
  return { ...made, model, toolsOf };
}

const prompt: ModelMessage[] = [{ role: "user", content: "Read the note, then wipe the folder." }];
const stopWhen = stepCountIs(8);

/** Runs the loop to the approval request, and returns the conversation as another process reads it. */
async function untilAsked({ model, open, toolsOf }: Awaited<ReturnType<typeof world>>, more = {}) {
  const first = await open();
  const asked = await generateText({ model, tools: toolsOf(first, more), stopWhen, messages: prompt });
  expect(asked.content).toContainEqual(expect.objectContaining({ type: "tool-approval-request" }));
  return throughJson([...prompt, ...asked.responseMessages]);
}

describe("generateText", () => {
  test("a call that asks is the SDK's approval request; it is answered in another process, and runs once in a third", async () => {
    const made = await world();
    const { decide, model, open, ran, toolsOf } = made;
    const messages = await untilAsked(made);
    expect(ran).toEqual(["read n-1"]);
    expect(await answerAiSdkApprovals(await open(), messages, context)).toBeNull();
    expect(await decide()).toBe("wipe");

    const host = await open();
    const answer = await answerAiSdkApprovals(host, messages, context);
    messages.push(answer!);
    const last = await generateText({ model, tools: toolsOf(host), stopWhen, messages });
    expect(last.text).toBe("The folder is gone.");
    expect(ran).toEqual(["read n-1", "wipe old"]);
    expect(await host.approvals.list()).toEqual([]);
  });

  test("a denial in another process is the SDK's denial, with its reason", async () => {
    const made = await world();
    const { decide, model, open, ran, server, toolsOf } = made;
    const messages = await untilAsked(made);
    await decide("deny");

    const host = await open();
    messages.push((await answerAiSdkApprovals(host, messages, context))!);
    const last = await generateText({ model, tools: toolsOf(host), stopWhen, messages });
    expect(last.text).toBe("The folder is gone."); // what the script says in any case
    expect(ran).toEqual(["read n-1"]);
    expect(responsesApi.outputs(server.requests[2]!).at(-1)).toEqual([
      "call_2",
      expect.stringContaining("not today"),
    ]);
    const [question] = await host.approvals.list({ callId: "call_2", states: ["ended"] });
    expect(question!.end).toMatchObject({ status: "denied" });
  });

  test("with answersAs, the SDK's approval is the host's: one question, recorded under that name", async () => {
    const made = await world();
    const { model, open, ran, toolsOf } = made;
    const more = { answersAs: "ann in the chat" };
    const messages = await untilAsked(made, more);
    const host = await open();
    messages.push(responseTo(messages, true));
    await generateText({ model, tools: toolsOf(host, more), stopWhen, messages });

    expect(ran).toEqual(["read n-1", "wipe old"]);
    const [question] = await host.approvals.list({ callId: "call_2", states: ["ended"] });
    expect(question!.decision).toMatchObject({ decision: "approve", by: "ann in the chat" });
  });

  test("without answersAs, an approval that only the SDK gave runs nothing: the question stays open", async () => {
    const made = await world();
    const { model, open, ran, server, toolsOf } = made;
    const messages = await untilAsked(made);
    const host = await open();
    messages.push(responseTo(messages, true)); // a client can write this
    await generateText({ model, tools: toolsOf(host), stopWhen, messages });

    expect(ran).toEqual(["read n-1"]);
    expect(responsesApi.outputs(server.requests[2]!).at(-1)![1]).toContain("waiting for a person");
    expect(await host.approvals.list()).toHaveLength(1);
  });

  test("with answersAs, a denial that the SDK's people gave is the host's", async () => {
    const made = await world();
    const messages = await untilAsked(made, { answersAs: "ann in the chat" });
    const host = await made.open();
    messages.push(responseTo(messages, false));
    expect(
      await answerAiSdkApprovals(host, messages, { ...context, answersAs: "ann in the chat" }),
    ).toBeNull();
    const [question] = await host.approvals.list({ callId: "call_2", states: ["denied", "ended"] });
    expect(question!.decision).toMatchObject({ decision: "deny", by: "ann in the chat" });
  });

  test("a call whose arguments were changed after the approval does not run", async () => {
    const made = await world();
    const { decide, model, open, ran, toolsOf } = made;
    const messages = await untilAsked(made);
    await decide();
    const host = await open();
    messages.push((await answerAiSdkApprovals(host, messages, context))!);
    const changed = JSON.parse(
      JSON.stringify(messages).replace('"folder":"old"', '"folder":"/"'),
    ) as ModelMessage[];
    await generateText({ model, tools: toolsOf(host), stopWhen, messages: changed }).catch(() => {});
    expect(ran).toEqual(["read n-1"]);
  });
});

test("streamText and ToolLoopAgent run the same way, and a call of a cut answer does not run", async () => {
  const made = await world();
  const { decide, model, open, ran, toolsOf } = made;
  const first = await open();
  const stream = streamText({ model, tools: toolsOf(first), stopWhen, messages: prompt });
  await stream.consumeStream();
  const messages = throughJson([...prompt, ...(await stream.responseMessages)]);
  await decide();
  const host = await open();
  messages.push((await answerAiSdkApprovals(host, messages, context))!);
  const agent = new ToolLoopAgent({ model, tools: toolsOf(host) });
  expect((await agent.generate({ messages })).text).toBe("The folder is gone.");
  expect(ran).toEqual(["read n-1", "wipe old"]);
});

test("of two calls of an answer, one runs at once and one waits; two processes that continue at the same time run it once", async () => {
  const calls = [
    { id: "call_1", name: "read_note", arguments: '{"id":"n-1"}' },
    { id: "call_2", name: "wipe", arguments: '{"folder":"old"}' },
  ];
  const { open, decide, ran, server } = await agentWorld(responsesApi, (at) =>
    at === 0 ? { calls } : { text: "done" },
  );
  const model = createOpenAI({ apiKey: "k", baseURL: server.baseUrl })("m");
  const first = await open();
  const tools = toAiSdkTools(first, first.tools(), context);
  const asked = await generateText({ model, tools, stopWhen, messages: prompt });
  expect(ran).toEqual(["read n-1"]);
  await decide();
  await Promise.all(
    [1, 2].map(async () => {
      const host = await open();
      const messages = throughJson([...prompt, ...asked.responseMessages]);
      messages.push((await answerAiSdkApprovals(host, messages, context))!);
      const own = toAiSdkTools(host, host.tools(), context);
      await generateText({ model, tools: own, stopWhen, messages });
    }),
  );
  expect(ran).toEqual(["read n-1", "wipe old"]);
});

test("calls that the SDK asked about and never runs are cancelled, and those of many sessions stay apart", async () => {
  const { open, ran } = await agentWorld(responsesApi);
  const host = await open();
  const ended: unknown[] = [];
  host.coordinator.hooks.observe("tool:error", (_, { status }) => void ended.push(status));
  const tools = toAiSdkTools(host, host.tools(), context);
  for (let at = 0; at < 100; at++)
    expect(await tools["read_note"]!.needsApproval({ id: `n-${at}` }, { toolCallId: `call_${at}` })).toBe(
      false,
    );
  await vi.waitFor(() => expect(ended).toEqual(Array.from({ length: 36 }, () => "cancelled")), {
    timeout: 300_000,
  });
  expect(ran).toEqual([]);

  const asked = await Promise.all(
    Array.from({ length: 200 }, async (_, at) => {
      const own = toAiSdkTools(host, host.tools(), { sessionId: `s-${at}` });
      return own["wipe"]!.needsApproval({ folder: `f-${at}` }, { toolCallId: "call_1" }); // one id for all
    }),
  );
  expect(asked.every(Boolean)).toBe(true);
  const [question] = await host.approvals.list({ sessionId: "s-7" });
  await host.approvals.decide(question!.id, "approve", "bob");
  const run = async (session: string, at: number) =>
    toAiSdkTools(host, host.tools(), { sessionId: session })["wipe"]!.execute(
      { folder: `f-${at}` },
      { toolCallId: "call_1" },
    );
  expect(await run("s-7", 7)).toEqual({ wiped: "f-7" });
  await expect(run("s-8", 8)).rejects.toMatchObject({ code: "PENDING" });
  expect(ran).toEqual(["wipe f-7"]);
});

test("a call of an answer that a limit of tokens cut does not run", async () => {
  const call = { id: "call_1", name: "read_note", arguments: '{"id":"n-1"}' };
  const { open, ran, server } = await agentWorld(responsesApi, [{ calls: [call], stop: "length" }]);
  const model = createOpenAI({ apiKey: "k", baseURL: server.baseUrl })("m");
  const host = await open();
  const tools = toAiSdkTools(host, host.tools(), context);
  await generateText({ model, tools, stopWhen, messages: prompt });
  expect(ran).toEqual([]);
});

/** The SDK's answer to the request in a conversation, as a page of the program sends it. */
function responseTo(messages: readonly ModelMessage[], approved: boolean): ModelMessage {
  const [, approvalId = ""] = /"approvalId":"([^"]+)"/.exec(JSON.stringify(messages)) ?? [];
  return { role: "tool", content: [{ type: "tool-approval-response", approvalId, approved }] };
}
