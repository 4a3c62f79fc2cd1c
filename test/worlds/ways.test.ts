import { execFile } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { config, createReasoner, settingsOf } from "@toolmount/reasoner";
import type { Host, ToolOutcome } from "@toolmount/core";
import { describe, expect, onTestFinished, test } from "vitest";
import { readTasks, type WorldCase } from "../support/world-cases.ts";
import { dataOf, environmentOf, openWorld, planOf, type World } from "../support/world-hosts.ts";
import { compareAnswer, playCase, stateDigest } from "../support/world-player.ts";

const worlds = (["retail", "bfcl"] as const).map((world) => {
  const folder = dataOf(world);
  return { world, absent: folder === undefined, tasks: folder === undefined ? [] : readTasks(folder) };
});

const callsOf = (host: Host, sessionId: string) => (request: { name: string; arguments: unknown }) =>
  host.call({ ...request, arguments: request.arguments as string }, { sessionId });

for (const { world, absent, tasks } of worlds) {
  describe.skipIf(absent)(`${world}, with the shared tasks (skipped where they are absent)`, () => {
    test("a model that makes the calls of a task ends in the task's final state", async () => {
      const problems: string[] = [];
      for (const task of tasks) problems.push(...(await playWithModel(world, task)));
      expect(problems).toEqual([]);
    });

    test("eight tasks side by side do not mix", async () => {
      const problems: string[] = [];
      for (let at = 0; at < tasks.length; at += 8)
        problems.push(
          ...(await Promise.all(tasks.slice(at, at + 8).map((task) => playAlone(world, task)))).flat(),
        );
      expect(problems).toEqual([]);
    });

    test("a reload between any two calls changes nothing", async () => {
      const problems: string[] = [];
      for (const task of tasks.slice(0, 20)) {
        const host = await openWorld(world, task, "approve");
        problems.push(
          ...(await playCase(task, host, async (request) => {
            await host.reload();
            return callsOf(host, task.id)(request);
          })),
        );
        await host.close();
      }
      expect(problems).toEqual([]);
    });

    test("with an approver who denies, every change ends denied and the state stays as it was", async () => {
      for (const task of tasks) {
        const host = await openWorld(world, task, "deny");
        const call = callsOf(host, task.id);
        for (const request of task.calls) {
          const needsPerson = host.tools().find(({ name }) => name === request.name)?.requiresConfirmation;
          const { status } = await call({ name: request.name, arguments: request.arguments });
          expect(status === "denied").toBe(needsPerson === true && status !== "invalid");
        }
        expect(await stateDigest(host)).toBe(task.expected.initial);
        await host.close();
      }
    });

    test("the command answers the first call of a task as the library does", async () => {
      // A call that needs a person would wait for one: the command has none here.
      let compared = 0;
      for (const task of tasks) {
        const { name, arguments: given } = task.calls[0]!;
        const host = await openWorld(world, task, "deny");
        const asks = host.tools().find((tool) => tool.name === name)?.requiresConfirmation;
        await host.close();
        if (asks !== false) continue;
        if ((compared += 1) > 6) break;
        const env = await environmentOf(world, task);
        const { status, result } = await callByCommand(world, name, JSON.stringify(given), env);
        expect(compareAnswer(task.expected.calls[0]!, status, result)).toBeUndefined();
      }
    });
  });
}

async function playAlone(world: World, task: WorldCase): Promise<string[]> {
  const host = await openWorld(world, task, "approve");
  const problems = await playCase(task, host, callsOf(host, task.id));
  await host.close();
  return problems;
}

/** A turn of a scripted model: one call in each answer, and a text at the end. */
async function playWithModel(world: World, task: WorldCase): Promise<string[]> {
  const baseUrl = await serveModel(task);
  const host = await openWorld(world, task, "approve");
  const settings = settingsOf(
    config.parse({
      orchestrator: { model: "scripted", baseUrl, apiKey: "unused", stream: false, maxIterations: 100 },
    }),
  );
  const reasoner = createReasoner(host.coordinator, { settings });
  const turn = await reasoner.run(host, { sessionId: task.id, prompt: "Do the task." });
  const digest = await stateDigest(host);
  await host.close();
  if (turn.status !== "done") return [`${task.id}: the turn is ${turn.status}`];
  return digest === task.expected.final ? [] : [`${task.id}: the final state differs`];
}

async function serveModel({ calls }: WorldCase): Promise<string> {
  let at = 0;
  const server = createServer(async (request, answer) => {
    await json(request);
    const call = calls[at];
    at += 1;
    const output =
      call === undefined
        ? { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done." }] }
        : {
            type: "function_call",
            id: `fc_${at}`,
            call_id: `call_${at}`,
            name: call.name,
            arguments: call.text ?? JSON.stringify(call.arguments),
          };
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(JSON.stringify({ id: `r${at}`, status: "completed", output: [output] }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

const root = join(import.meta.dirname, "../..");

async function callByCommand(
  world: World,
  name: string,
  given: string,
  env: Record<string, string>,
): Promise<ToolOutcome> {
  const command = ["-C", "@toolmount/source", join(root, "packages/cli/src/main.ts")];
  const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
    // The command ends with 1 for a call that fails; its answer is on stdout all the same.
    execFile(
      process.execPath,
      [...command, "call", planOf(world), name, given, "--json"],
      { env: { ...process.env, ...env } },
      (_error, output) => resolve({ stdout: output }),
    );
  });
  return JSON.parse(stdout) as ToolOutcome;
}
