import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf, json } from "node:stream/consumers";
import { openStore } from "@toolmount/store";
import { expect, onTestFinished, test } from "vitest";
import { createTurnWorld } from "./support/turn-world.ts";

const model = "openai-compatible:m";
const reasoning = "first one, then two";

interface Message {
  readonly role: string;
  readonly content: unknown;
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
}

/** A server of Chat Completions: two calls with reasoning, then a text. */
async function serveChat() {
  const requests: (readonly Message[])[] = [];
  const server = createServer(async (request, answer) => {
    const { messages } = (await json(request)) as { messages: readonly Message[] };
    requests.push(messages);
    const isAnswered = messages.some(({ role }) => role === "tool");
    const calls = [1, 2].map((n) => ({
      id: `c${n}`,
      type: "function",
      function: { name: "act", arguments: `{"n":${n}}` },
    }));
    const message = isAnswered
      ? { role: "assistant", content: "all done" }
      : { role: "assistant", content: null, reasoning_content: reasoning, tool_calls: calls };
    const finish_reason = isAnswered ? "stop" : "tool_calls";
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(
      JSON.stringify({
        id: "r",
        object: "chat.completion",
        created: 1,
        model: "m",
        choices: [{ index: 0, message, finish_reason }],
        usage,
      }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { requests, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1` };
}

/** Runs the turn in a process that kills itself with SIGKILL at a step. Returns the steps it printed. */
async function runKilled(words: readonly string[]): Promise<readonly string[]> {
  const program = join(import.meta.dirname, "support/turn-process.ts");
  const child = spawn(process.execPath, ["-C", "@toolmount/source", program, "run", ...words, model], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [printed, [code, signal]] = await Promise.all([textOf(child.stdout), once(child, "close")]);
  expect([code, signal]).toEqual([null, "SIGKILL"]);
  return printed.trimEnd().split("\n");
}

// The answer has arrived and is not stored; it is stored; a call was made and its outcome is not stored.
test.each(["answered", "recorded answer", "acted 1"])(
  "APTIX-22: a turn through a provider of the AI SDK, killed at %s, is resumed with its calls and its reasoning",
  async (last) => {
    const folder = await mkdtemp(join(tmpdir(), "toolmount-kill-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const [database, effects] = [join(folder, "state.db"), join(folder, "effects.txt")];
    await writeFile(effects, "");
    const { requests, baseUrl } = await serveChat();
    const steps = await runKilled([database, baseUrl, effects, last]);
    expect(steps.at(-1)).toContain(last);

    const store = await openStore(`sqlite:${database}`);
    const { host, reasoner } = createTurnWorld(store, baseUrl, effects, undefined, model);
    const turn = await reasoner.resume(host, { sessionId: "s" });
    await host.close();
    await store.close();

    expect(turn).toMatchObject({ status: "done", text: "all done", calls: 2 });
    const resumed = requests.at(-1) ?? [];
    expect(resumed.find(({ role }) => role === "assistant")?.reasoning_content).toBe(reasoning);
    const outputs = resumed.filter(({ role }) => role === "tool");
    expect(outputs.map(({ tool_call_id: id }) => id)).toEqual(["c1", "c2"]);
    const done = (await readFile(effects, "utf8")).split("\n").filter(Boolean);
    for (const [at, { content }] of outputs.entries()) {
      const times = done.filter((line) => line === String(at + 1)).length;
      if (String(content).includes("OUTCOME_UNKNOWN")) expect(times).toBeLessThanOrEqual(1);
      else expect([content, times]).toEqual([`acted ${at + 1}`, 1]);
    }
  },
);
