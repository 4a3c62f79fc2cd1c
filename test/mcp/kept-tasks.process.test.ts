import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";
import { expect, onTestFinished, test } from "vitest";
import { linkPackages, plainEnv, run, serveCommand, toolmount } from "./support/command.ts";
import { tokensOfPeople } from "./support/gateway.ts";
import { connectOld, connectOldOver, follow, speak } from "./support/tasks.ts";
import { folderOf, until } from "./support/world.ts";

const plan = `
version: 1
state: sqlite:./state.db
tools:
  - module: ./works.ts
policy:
  allow: [paint_*]
`;

/** Tools that note each run in a file, and run until the file `go` is there. */
const works = `
import { appendFileSync, existsSync } from "node:fs";
import { data, defineTool } from "@toolmount/core";
import { z } from "zod";

const work = (name: string, category: "read" | "side_effect", requiresConfirmation: boolean) =>
  defineTool({
    name,
    description: "Works on a town. Use when the user asks for it.",
    schema: z.strictObject({ town: z.string() }),
    outputSchema: z.strictObject({ town: z.string(), runs: z.int() }),
    category,
    consequenceLevel: "low",
    requiresConfirmation,
    execute: async ({ town }, context) => {
      appendFileSync("runs", town + "\\n");
      while (!existsSync("go") && context?.abortSignal?.aborted !== true)
        await new Promise((resolve) => setTimeout(resolve, 20));
      return data({ town, runs: 1 });
    },
  });

export const paint_town = work("paint_town", "side_effect", false);
export const look_at_town = work("look_at_town", "read", false);
export const remove_town = work("remove_town", "side_effect", true);
`;

const town = { town: "Rome" };

/** A folder with the plan, people with tokens, and a server that can be killed and started again. */
async function gateway() {
  const folder = await folderOf({ "plan.yaml": plan, "works.ts": works });
  await linkPackages(folder);
  const { tokens, file } = await tokensOfPeople();
  const start = async () => {
    const { url, kill } = await serveCommand(["plan.yaml", "--tokens", file], { cwd: folder });
    return { url: `${url}/mcp`, kill };
  };
  const runs = async () =>
    (await readFile(join(folder, "runs"), "utf8").catch(() => "")).split("\n").length - 1;
  const go = () => writeFile(join(folder, "go"), "");
  return { folder, tokens, start, runs, go, ...(await start()) };
}

/** A person answers the one question, from a process of its own. */
async function decide(folder: string, answer: "approve" | "deny") {
  const { stdout } = await run(["approvals", "list", "plan.yaml", "--json"], { cwd: folder });
  const [id = ""] = /(?<="id":\s*")[^"]+/.exec(stdout) ?? [];
  expect(await run(["approvals", answer, id, "plan.yaml"], { cwd: folder })).toMatchObject({ code: 0 });
}

test("a call that waits is the same task of the extension after the server was killed, and runs once", async () => {
  const { url, kill, start, folder, tokens, runs, go } = await gateway();
  await go();
  const asked = await speak(url, { token: tokens.ana })("tools/call", {
    name: "remove_town",
    arguments: town,
  });
  const { taskId } = asked;
  await kill();
  const { url: next } = await start();
  const ask = speak(next, { token: tokens.ana });

  const waiting = await ask("tasks/get", { taskId });
  const foreign = await speak(next, { token: tokens.ben })("tasks/get", { taskId });
  await decide(folder, "approve");
  const states = await Promise.all([1, 2, 3].map(() => follow(ask, taskId, "completed")));

  expect(waiting).toMatchObject({
    status: "working",
    statusMessage: expect.stringContaining("waiting for a person"),
  });
  expect(foreign).toMatchObject({ error: { code: -32602 } });
  for (const { result } of states)
    expect(result).toMatchObject({ structuredContent: { town: "Rome", runs: 1 } });
  expect(await runs()).toBe(1);
});

test("a client of 2025-11-25 collects the result of a call that was approved while no server ran", async () => {
  const { url, kill, start, folder, tokens, runs, go } = await gateway();
  await go();
  const { stream } = await connectOld(url, tokens.ana);
  const messages = stream("remove_town", town);
  const { task } = (await messages.next()).value as { readonly task: { readonly taskId: string } };
  await until(
    async () =>
      ((await messages.next()).value as { task: { statusMessage?: string } }).task.statusMessage !==
      undefined,
  );
  await kill();
  await decide(folder, "approve");
  const { url: next } = await start();
  const { client } = await connectOld(next, tokens.ana);
  const { client: other } = await connectOld(next, tokens.ben);

  const { tasks } = client.experimental;
  const results = await Promise.all([1, 2].map(() => tasks.getTaskResult(task.taskId, CallToolResultSchema)));

  for (const result of results)
    expect(result).toMatchObject({ structuredContent: { town: "Rome", runs: 1 } });
  expect(await tasks.getTask(task.taskId)).toMatchObject({ status: "completed" });
  await expect(other.experimental.tasks.getTask(task.taskId)).rejects.toThrow(/there is no task/);
  expect(await runs()).toBe(1);
});

test("a task that had ended keeps its result over a kill, and a cancelled one stays so", async () => {
  const { url, kill, start, folder, tokens, runs, go } = await gateway();
  const first = speak(url, { token: tokens.ana });
  const { taskId: cancelled } = await first("tools/call", {
    name: "remove_town",
    arguments: { town: "Oslo" },
  });
  await first("tasks/cancel", { taskId: cancelled });
  await until(async () => (await first("tasks/get", { taskId: cancelled })).status === "cancelled");
  const { taskId } = await first("tools/call", { name: "remove_town", arguments: town });
  await go();
  await decide(folder, "approve");
  const ended = await follow(first, taskId, "completed");
  await kill();
  const { url: next } = await start();
  const later = speak(next, { token: tokens.ana });

  expect(await later("tasks/get", { taskId })).toEqual(ended);
  expect(await later("tasks/get", { taskId: cancelled })).toMatchObject({ status: "cancelled" });
  expect(await runs()).toBe(1);
});

test.each([
  { tool: "paint_town", becomes: /not known whether it finished/, times: 1 },
  { tool: "look_at_town", becomes: /Rome/, times: 2 },
])(
  "the outcome of $tool, which ran when the server was killed, is $becomes",
  async ({ tool, becomes, times }) => {
    const { url, kill, start, tokens, runs, go } = await gateway();
    const { stream } = await connectOld(url, tokens.ana);
    const { task } = (await stream(tool, town).next()).value as {
      readonly task: { readonly taskId: string };
    };
    await until(async () => (await runs()) === 1);
    await kill();
    const { url: next } = await start();
    const { client } = await connectOld(next, tokens.ana);
    await go();

    const meanwhile = await client.experimental.tasks.getTask(task.taskId);
    const result = await client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);

    expect(meanwhile.status).toBe("working");
    expect(JSON.stringify(result.content)).toMatch(becomes);
    expect(await runs()).toBe(times);
  },
);

test("a client over stdio that starts its server again follows the task that it had", async () => {
  const { folder, runs, go } = await gateway();
  await go();
  const connect = async () => {
    const [command = "", ...before] = toolmount;
    const args = [...before, "serve", "--stdio", "plan.yaml", "--user", "ana"];
    const transport = new StdioClientTransport({ command, args, cwd: folder, env: plainEnv() });
    onTestFinished(() => transport.close());
    return { transport, ...(await connectOldOver(transport)) };
  };
  const { stream, transport } = await connect();
  const messages = stream("remove_town", town);
  const { task } = (await messages.next()).value as { readonly task: { readonly taskId: string } };
  await until(
    async () =>
      ((await messages.next()).value as { task: { statusMessage?: string } }).task.statusMessage !==
      undefined,
  );
  process.kill(transport.pid!, "SIGKILL");
  const { client } = await connect();

  const result = client.experimental.tasks.getTaskResult(task.taskId, CallToolResultSchema);
  await decide(folder, "approve");

  expect(await result).toMatchObject({ structuredContent: { town: "Rome", runs: 1 } });
  expect(await runs()).toBe(1);
});
