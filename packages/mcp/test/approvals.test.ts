import { setTimeout as delay } from "node:timers/promises";
import { createMemoryStore, type Host } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { outcomeMetaKey } from "../src/index.ts";
import { connectHttp, connectStreams, hostOf, remove } from "./support.ts";
import type { ClientOptions } from "@modelcontextprotocol/client";
import type { Client } from "@modelcontextprotocol/client";

const call = { name: "remove", arguments: { path: "a.txt" } };
const elicits: ClientOptions = { capabilities: { elicitation: { form: {}, url: {} } } };

/** What the user of a client answers to the question. */
function answering(
  client: Client,
  answer: { action: "accept" | "decline" | "cancel"; content?: Record<string, string> },
) {
  const seen: { mode?: string; message: string; url?: string }[] = [];
  client.setRequestHandler("elicitation/create", ({ params }) => {
    seen.push(params as (typeof seen)[number]);
    return answer;
  });
  return seen;
}

test.each(["legacy", "modern"] as const)(
  "over the %s era, the user of the client approves in a form",
  async (era) => {
    const host = hostOf([remove], { store: createMemoryStore() });
    const client = await connectStreams(host, era, { approvals: { elicitation: true } }, elicits);
    const seen = answering(client, { action: "accept", content: { decision: "approve" } });

    const result = await client.callTool(call);

    expect(result.structuredContent).toEqual({ gone: "a.txt" });
    expect(seen).toHaveLength(1);
    expect(seen[0]?.message).toContain('"path":"a.txt"');
    expect(JSON.stringify(seen)).not.toContain((await host.approvals.list({ states: ["ended"] }))[0]!.id);
  },
);

test.each([
  { action: "accept" as const, content: { decision: "deny", reason: "not today" } },
  { action: "decline" as const },
])("what the user refuses with $action is denied", async (answer) => {
  const host = hostOf([remove], { store: createMemoryStore() });
  const client = await connectStreams(host, "modern", { approvals: { elicitation: true } }, elicits);
  answering(client, answer);

  expect(await client.callTool(call)).toMatchObject({ isError: true });
});

test("a question that the user closes stays open for another approver, and the same call asks it again", async () => {
  const host = hostOf([remove], { store: createMemoryStore() });
  const client = await connectStreams(host, "modern", { approvals: { elicitation: true } }, elicits);
  answering(client, { action: "cancel" });

  const result = await client.callTool(call);

  expect(statusOf(result)).toBe("pending");
  expect(await host.approvals.list()).toHaveLength(1);
  answering(client, { action: "accept", content: { decision: "approve" } });
  expect((await client.callTool(call)).structuredContent).toEqual({ gone: "a.txt" });
  expect(await host.approvals.list()).toEqual([]);
});

test("where the user is not the approver, no form is shown, whatever the client can do", async () => {
  const host = hostOf([remove], { store: createMemoryStore() });
  const client = await connectStreams(host, "modern", {}, elicits);
  const seen = answering(client, { action: "accept", content: { decision: "approve" } });

  expect(statusOf(await client.callTool(call))).toBe("pending");
  expect(seen).toEqual([]);
});

test("a client that can open an address gets that of the approval, and continues when it is decided", async () => {
  const host = hostOf([remove], { store: createMemoryStore() });
  const url = () => "https://approvals.test/";
  const client = await connectHttp(host, "modern", { approvals: { url } }, elicits);
  const seen = answering(client, { action: "accept" });

  const running = client.callTool(call);
  await decideSoon(host);

  expect((await running).structuredContent).toEqual({ gone: "a.txt" });
  expect(seen[0]).toMatchObject({ mode: "url", url: "https://approvals.test/" });
});

test("a call can be kept open until it is decided elsewhere", async () => {
  const host = hostOf([remove], { store: createMemoryStore() });
  const client = await connectStreams(host, "legacy", { approvals: { wait: true } });

  const running = client.callTool(call);
  await decideSoon(host);

  expect((await running).structuredContent).toEqual({ gone: "a.txt" });
});

test("a requestState that was changed, or belongs to another call or session, is refused", async () => {
  const host = hostOf([remove], { store: createMemoryStore() });
  const manual = { ...elicits, inputRequired: { autoFulfill: false } };
  const mine = await connectHttp(host, "modern", { approvals: { elicitation: true } }, manual);
  const other = await connectHttp(host, "modern", { approvals: { elicitation: true } }, manual);
  const first = (await mine.callTool(call, { allowInputRequired: true })) as unknown as {
    requestState: string;
  };
  const retry = (client: Client, requestState: string, path = "a.txt") =>
    client.callTool(
      {
        name: "remove",
        arguments: { path },
        requestState,
        inputResponses: { approval: { action: "accept", content: { decision: "approve" } } },
      } as never,
      { allowInputRequired: true },
    );
  const { requestState } = first;
  const flipped = `${requestState.slice(0, 20)}${requestState[20] === "A" ? "B" : "A"}${requestState.slice(21)}`;

  await expect(retry(mine, flipped)).rejects.toMatchObject({ code: -32602 });
  await expect(retry(mine, requestState, "b.txt")).rejects.toMatchObject({ code: -32602 });
  await expect(retry(other, requestState)).rejects.toMatchObject({ code: -32602 });
  expect(await retry(mine, requestState)).toMatchObject({ structuredContent: { gone: "a.txt" } });
});

function statusOf({ _meta }: { readonly _meta?: Readonly<Record<string, unknown>> | undefined }): unknown {
  return (_meta?.[outcomeMetaKey] as { status: string } | undefined)?.status;
}

/** Another approver approves the first question. */
async function decideSoon(host: Host): Promise<void> {
  const controller = new AbortController();
  onTestFinished(() => controller.abort());
  for (;;) {
    const [question] = await host.approvals.list();
    if (question !== undefined) {
      await host.approvals.decide(question.id, "approve", "ada");
      return;
    }
    await delay(10, undefined, { signal: controller.signal });
  }
}
