import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { silentLogger } from "@toolmount/core";
import * as interop from "@toolmount/interop";
import * as mcp from "@toolmount/mcp";
import * as policy from "@toolmount/policy";
import * as store from "@toolmount/store";
import { expect, test } from "vitest";
import { listen } from "./support/http.ts";
import { connectOld, follow, speak } from "./support/tasks.ts";
import { folderOf, open, until } from "./support/world.ts";

const extensions = {
  "@toolmount/interop": interop,
  "@toolmount/mcp": mcp,
  "@toolmount/policy": policy,
  "@toolmount/store": store,
};

/** A served host whose reports a person has to approve, or not. */
async function serve({
  asks = false,
  era = "modern",
  notes = "",
}: { asks?: boolean; era?: "legacy" | "modern"; notes?: string } = {}) {
  const source = {
    command: process.execPath,
    args: [join(import.meta.dirname, "fixtures/task-server.ts"), ...(notes === "" ? [] : [notes])],
    era,
    ask: ["elicitation"],
  };
  const rules = [{ match: { tool: "report_*" }, answer: "ask" }];
  const host = await open(
    {
      version: 1,
      state: "sqlite::memory:",
      tools: [{ module: "tasks", source: { mcp: source } }],
      ...(asks && { policy: { rules } }),
    },
    { extensions, logger: silentLogger },
  );
  const decide = async (decision: "approve" | "deny") => {
    await until(async () => (await host.approvals.list()).length > 0);
    const [question] = await host.approvals.list();
    await host.approvals.decide(question!.id, decision, "olga");
  };
  return { host, url: await listen(host), decide };
}

test("a client of 2025-11-25 follows a call that waits for an approval as a task, and collects its result", async () => {
  const { url, decide } = await serve({ asks: true });
  const { client, stream } = await connectOld(url);

  expect(client.getServerCapabilities()?.tasks).toEqual({ cancel: {}, requests: { tools: { call: {} } } });
  const seen: string[] = [];
  let text = "";
  for await (const message of stream("report_optional", { topic: "bees" })) {
    if (message.type === "taskStatus") {
      if (!seen.includes(String(message.task.statusMessage))) seen.push(String(message.task.statusMessage));
      if (seen.length === 1) await decide("approve");
    }
    if (message.type === "result") text = JSON.stringify(message.result.content);
  }

  expect(seen[0]).toBe("waiting for a person to approve");
  expect(text).toContain("a report on bees");
});

test.each(["legacy", "modern"] as const)(
  "a client of 2025-11-25 answers a question of a %s server while it waits for the result of its task",
  async (era) => {
    const { url } = await serve({ era });
    const { stream } = await connectOld(url);

    const types: string[] = [];
    let text = "";
    for await (const message of stream("report_required", { topic: "personal" })) {
      types.push(message.type);
      if (message.type === "result") text = JSON.stringify(message.result.content);
    }

    expect(types[0]).toBe("taskCreated");
    expect(text).toContain("a report on personal for ada");
  },
);

test("a call of 2026 that waits for an approval is a task of the extension; a denied one ends with the reason", async () => {
  const { url, decide } = await serve({ asks: true });
  const ask = speak(url);

  const created = await ask("tools/call", { name: "report_optional", arguments: { topic: "bees" } });
  const waiting = await ask("tasks/get", { taskId: created.taskId });
  await decide("deny");
  const ended = await follow(ask, created.taskId, "completed");

  expect(created).toMatchObject({ resultType: "task", status: "working", ttlMs: expect.any(Number) });
  expect(waiting).toMatchObject({
    resultType: "complete",
    status: "working",
    statusMessage: "waiting for a person to approve",
  });
  expect(ended).toMatchObject({ status: "completed", result: { isError: true } });
  expect(JSON.stringify(ended.result)).toContain("the approver denied it");
});

test("a client of 2026 that does not speak the extension is answered as before", async () => {
  const { url } = await serve({ asks: true });
  const ask = speak(url, { extensions: {} });

  const answer = await ask("tools/call", { name: "report_optional", arguments: { topic: "bees" } });

  expect(answer.resultType).toBe("complete");
  expect(JSON.stringify(answer.content)).toContain("waiting for a person");
});

test("a task of a server is a task of the client, which answers its question by an update", async () => {
  const { url } = await serve();
  const ask = speak(url);

  const created = await ask("tools/call", { name: "report_required", arguments: { topic: "personal" } });
  const { taskId } = created;
  const asked = await follow(ask, taskId, "input_required");
  const [key = ""] = Object.keys(asked.inputRequests ?? {});
  const answer = { action: "accept", content: { name: "bo" } };
  await ask("tasks/update", { taskId, inputResponses: { [key]: answer, unknown: answer } });
  const ended = await follow(ask, taskId, "completed");

  expect(created.resultType).toBe("task");
  expect(asked.inputRequests?.[key]).toMatchObject({ method: "elicitation/create" });
  expect(ended.result?.content).toEqual([{ type: "text", text: "a report on personal for bo" }]);
});

test("a client that cancels its task ends the call, and takes its question back", async () => {
  const { host, url } = await serve({ asks: true });
  const ask = speak(url);

  const { taskId } = await ask("tools/call", { name: "report_optional", arguments: { topic: "bees" } });
  const acknowledged = await ask("tasks/cancel", { taskId });
  const state = await ask("tasks/get", { taskId });

  expect(acknowledged).toMatchObject({ resultType: "complete" });
  expect(state).toMatchObject({ status: "cancelled" });
  await until(async () => (await host.approvals.list()).length === 0);
  const [question] = await host.approvals.list({ states: ["denied"] });
  expect(question?.decision).toMatchObject({ by: "the MCP client", reason: "the client cancelled the task" });
});

test("a task whose time is over is forgotten, and its call ends at the server, too", async () => {
  const notes = join(await folderOf({ notes: "" }), "notes");
  const { url } = await serve({ notes });
  const { client, stream } = await connectOld(url);

  const { value: created } = await stream("report_required", { topic: "endless" }, 1).next();
  const { taskId, ttl } = (created as { readonly task: { readonly taskId: string; readonly ttl: number } })
    .task;
  const isForgotten = () =>
    client.experimental.tasks.getTask(taskId).then(
      () => false,
      (error: Error) => error.message.includes("a task is forgotten after its ttl"),
    );

  // The least time of a task.
  expect(ttl).toBe(1_000);
  expect(await isForgotten()).toBe(false);
  await until(isForgotten);
  await until(async () => (await readFile(notes, "utf8")).includes("cancelled"));
});

test("a task of another client does not exist", async () => {
  const { host } = await serve({ asks: true });
  const url = await listen(host, {
    caller: ({ requestInfo }) => ({ sessionId: requestInfo?.headers.get("authorization") ?? "" }),
  });
  const call = { name: "report_optional", arguments: { topic: "bees" } };
  const { taskId } = await speak(url, { token: "ana" })("tools/call", call);
  const { client: same } = await connectOld(url, "ana");
  const { client } = await connectOld(url, "ben");

  expect(await same.experimental.tasks.getTask(taskId)).toMatchObject({ status: "working" });
  await expect(client.experimental.tasks.getTask(taskId)).rejects.toThrow(/there is no task/);
  expect(await speak(url, { token: "ana" })("tasks/get", { taskId: "guess" })).toMatchObject({
    error: { code: -32602 },
  });
});
