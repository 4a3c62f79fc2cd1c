import {
  answerAiSdkApprovals,
  answerInterruptions,
  toAiSdkTools,
  toMastraTools,
  toOpenAIAgentsTools,
} from "@toolmount/interop";
import { expect, test } from "vitest";
import { agentWorld, unseen } from "../support/agent-world.ts";

const context = { sessionId: "s" };
const description = "Tries to pay. Use in tests. Not for others.";
const properties = { to: { type: "string" }, note: { type: "string" } };
const schema = { type: "object", properties, required: ["to"], additionalProperties: false };
const text = ["a letter", ...unseen].join("\n");
const waits = 'waiting for a person to approve "pay" [PENDING]';

test("OpenAI's Agents SDK gets open schemas under names that it allows, and results as text or as parts", async () => {
  const { host } = agentWorld();
  const tools = toOpenAIAgentsTools(host, host.tools(), context);
  const tool = (name: string) => tools.find((one) => one.name === name)!;
  const { invoke: _invoke, needsApproval: _needs, isEnabled, ...pay } = tool("pay");

  expect(pay).toEqual({ type: "function", name: "pay", description, parameters: schema, strict: false });
  expect(await isEnabled()).toBe(true);
  const bare = { name: "a tool", description: "", inputSchema: { type: "object" } };
  expect(toOpenAIAgentsTools(host, [bare])[0]).toMatchObject({
    name: expect.stringMatching(/^[\w-]+$/) as string,
    parameters: { type: "object", properties: {}, required: [], additionalProperties: true },
  });
  expect(await tool("look").invoke(undefined, '{"to":"a"}', { toolCall: { callId: "o1" } })).toBe(
    '{"seen":"a"}',
  );
  expect(await tool("fail").invoke(undefined, '{"to":"a"}')).toBe("Error: no paper [NO_PAPER]");
  expect(await tool("scan").invoke(undefined, '{"to":"a"}', { toolCall: { callId: "o2" } })).toEqual([
    { type: "text", text },
    { type: "image", image: { data: "aGVsbG8=", mediaType: "image/png" } },
    { type: "file", file: { data: "JVBERi0x", mediaType: "application/pdf", filename: "a.pdf" } },
  ]);
  const signal = AbortSignal.abort();
  const cut = await tool("look").invoke(undefined, '{"to":"a"}', { toolCall: { callId: "o3" }, signal });
  expect(cut).toContain("[CANCELLED]");
});

test("a question is an interruption of OpenAI's run: each is answered once its host decided, and counts while it is open", async () => {
  const { host, decide, ran } = agentWorld();
  const tools = toOpenAIAgentsTools(host, host.tools(), context);
  const [look, pay] = ["look", "pay"].map((name) => tools.find((one) => one.name === name)!);
  expect(await look!.needsApproval(undefined, { to: "a" }, "o0")).toBe(false);
  expect(await pay!.needsApproval(undefined, { to: "ada" }, "o1")).toBe(true);
  expect(await pay!.needsApproval(undefined, '{"to":"bob"}', "o2")).toBe(true);
  expect(await pay!.needsApproval(undefined, '{"to":"eve"}', "o3")).toBe(true);

  const answered: unknown[] = [];
  const open = ["o1", "o2", "o3"].map((callId) => ({ rawItem: { callId } }));
  const state = {
    getInterruptions: () => open,
    approve: (one: unknown) => answered.push(["approve", one]),
    reject: (one: unknown, options?: object) => answered.push(["reject", one, options]),
  };
  expect(await answerInterruptions(host, state, context)).toBe(3);
  expect(answered).toEqual([]);
  await decide("approve");
  await decide("deny", "not today");
  expect(await answerInterruptions(host, state, context)).toBe(1);
  await decide("deny");
  expect(await answerInterruptions(host, state, context)).toBe(0);

  const message = "not approved: not today";
  expect(answered.slice(0, 2)).toEqual([
    ["approve", open[0]],
    ["reject", open[1], { message }],
  ]);
  expect(answered.at(-1)).toEqual(["reject", open[2], { message: "not approved: the approver denied it" }]);
  // What was held for the first answer runs now; the denied ones have ended.
  expect(await pay!.invoke(undefined, '{"to":"ada"}', { toolCall: { callId: "o1" } })).toBe("pay ada");
  expect(ran).toEqual(["pay ada"]);
  expect(await host.approvals.list()).toEqual([]);
});

test("a call that OpenAI's own person approved is decided in the host under the name of the library", async () => {
  const { host, ran } = agentWorld();
  const tools = toOpenAIAgentsTools(host, host.tools(), { ...context, answersAs: "the library" });
  const pay = tools.find(({ name }) => name === "pay")!;
  await pay.needsApproval(undefined, { to: "ada" }, "o1");

  expect(await pay.invoke(undefined, '{"to":"ada"}', { toolCall: { callId: "o1" } })).toBe("pay ada");
  expect(ran).toEqual(["pay ada"]);
});

test("Mastra gets data, parts for its model where a result has some, and an error with the code of a failure", async () => {
  const { host } = agentWorld();
  const { pay, look, scan, fail } = toMastraTools(host, host.tools(), context);

  expect(pay).toMatchObject({ id: "pay", description, inputSchema: { jsonSchema: schema } });
  const seen = await look!.execute({ to: "a" });
  expect(seen).toEqual({ seen: "a" });
  expect(look!.toModelOutput(seen)).toEqual({ type: "json", value: { seen: "a" } });
  expect(scan!.toModelOutput(await scan!.execute({ to: "a" }))).toEqual({
    type: "content",
    value: [
      { type: "text", text },
      { type: "file", mediaType: "image/png", data: { type: "data", data: "aGVsbG8=" } },
      {
        type: "file",
        mediaType: "application/pdf",
        filename: "a.pdf",
        data: { type: "data", data: "JVBERi0x" },
      },
    ],
  });
  const withoutMedia = toMastraTools(host, host.tools(), { media: false })["scan"]!;
  expect(withoutMedia.toModelOutput(await withoutMedia.execute({ to: "a" }))).toEqual({
    type: "text",
    value: [
      text,
      "(an image of the type image/png is left out: this model gets none from results)",
      "(the file a.pdf is left out: this model gets none from results; its address is file:///letters/a.pdf)",
    ].join("\n"),
  });
  await expect(fail!.execute({ to: "a" })).rejects.toMatchObject({
    name: "AiSdkToolFailure",
    message: "Error: no paper [NO_PAPER]",
    code: "NO_PAPER",
  });
  await expect(look!.execute(undefined)).rejects.toMatchObject({ code: "INVALID_ARGUMENTS" });
  await expect(pay!.execute({ to: "a" })).rejects.toMatchObject({ message: `Error: ${waits}` });
});

test.each([true, false])(
  "a question suspends the run of Mastra, whose thread is the session; in `agent`: %s",
  async (isAgent) => {
    const { host, ran } = agentWorld();
    const { pay } = toMastraTools(host, host.tools(), { answersAs: "the library" });
    const suspended: unknown[] = [];
    const suspend = async (payload: object) => (suspended.push(payload), "suspended");
    const run = (more: object) => {
      const made = { toolCallId: "m1", threadId: "t-1", suspend, ...more };
      return pay!.execute({ to: "ada" }, isAgent ? { agent: made } : made);
    };

    expect(await run({})).toBe("suspended");
    expect(suspended).toEqual([
      {
        id: expect.stringMatching(/^[\da-f]{16}$/) as string,
        callId: "m1",
        tool: "pay",
        prompt: expect.any(String) as string,
        arguments: { to: "ada" },
      },
    ]);
    expect((await host.approvals.list())[0]?.info).toMatchObject({ sessionId: "t-1", callId: "m1" });
    expect(await run({ resumeData: { decision: "approve" } })).toBe("pay ada");
    expect(ran).toEqual(["pay ada"]);
  },
);

test("a signal of Mastra cancels its call", async () => {
  const { host } = agentWorld();
  const abortSignal = AbortSignal.abort();

  await expect(
    toMastraTools(host, host.tools())["look"]!.execute({ to: "a" }, { abortSignal }),
  ).rejects.toMatchObject({ code: "CANCELLED" });
});

/** The AI SDK's messages about calls that it asks about. */
const requests = (...ids: string[]) => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool-approval-request", approvalId: `q-${id}`, toolCallId: id })),
});
const response = (id: string, approved: boolean, reason?: string) => ({
  type: "tool-approval-response",
  approvalId: `q-${id}`,
  approved,
  ...(reason !== undefined && { reason }),
});

test("the host's answers become the AI SDK's, all at once when none is open", async () => {
  const { host, decide, ran } = agentWorld();
  const { pay } = toAiSdkTools(host, host.tools(), context);
  for (const [toolCallId, to] of [
    ["a1", "ada"],
    ["a2", "bob"],
    ["a3", "eve"],
  ] as const)
    expect(await pay!.needsApproval({ to }, { toolCallId })).toBe(true);
  const messages = [{ role: "user", content: "pay" }, requests("a1", "a2"), requests("a3")];
  expect(await answerAiSdkApprovals(host, messages, context)).toBeNull();
  await decide("approve");
  await decide("deny", "not today");
  expect(await answerAiSdkApprovals(host, messages, context)).toBeNull();
  await decide("deny");

  expect(await answerAiSdkApprovals(host, messages, context)).toEqual({
    role: "tool",
    content: [response("a1", true), response("a2", false, "not today"), response("a3", false)],
  });
  const ended = await host.approvals.list({ states: ["ended"] });
  expect(ended.map(({ info }) => info.callId).toSorted()).toEqual(["a2", "a3"]);
  expect(ran).toEqual([]);
  const answers = {
    role: "tool",
    content: [response("a1", true), response("a2", false), response("a3", true)],
  };
  expect(await answerAiSdkApprovals(host, [...messages, answers], context)).toBeNull();
  expect(await answerAiSdkApprovals(host, [], context)).toBeNull();
});

test.each([
  ["with answersAs a denial by the SDK's people is the host's", { answersAs: "the library" }, "denied"],
  ["without answersAs it decides nothing", {}, "pending"],
] as const)("%s", async (_, more, state) => {
  const { host } = agentWorld();
  const { pay } = toAiSdkTools(host, host.tools(), context);
  await pay!.needsApproval({ to: "ada" }, { toolCallId: "a1" });
  await pay!.needsApproval({ to: "bob" }, { toolCallId: "a2" });
  const answers = { role: "tool", content: [response("a1", false, "too much"), response("a2", true)] };

  const messages = [requests("a1", "a2"), answers];
  expect(await answerAiSdkApprovals(host, messages, { ...context, ...more })).toBeNull();
  const found = await host.approvals.list({ callId: "a1", states: ["pending", "denied", "ended"] });
  const decision = state === "denied" ? { decision: "deny", by: "the library", reason: "too much" } : null;
  expect(found[0]).toMatchObject({ decision, state: state === "denied" ? "ended" : "pending" });
  // An approval that the SDK gave decides nothing before its call runs.
  expect(await host.approvals.list({ callId: "a2" })).toHaveLength(1);
  const waiting = { allowed: state === "pending" ? 1 : 0 };
  expect(await host.approvals.list({ callId: "a1" })).toHaveLength(waiting.allowed);
});
