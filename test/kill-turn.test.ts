import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { json } from "node:stream/consumers";
import { isToolmountError } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { expect, onTestFinished, test } from "vitest";
import { callCount, createTurnWorld } from "./kill/turn-world.ts";

// Two hundred with TOOLMOUNT_LONG=1, which takes minutes: each is a process of its own.
const kills = process.env["TOOLMOUNT_LONG"] === "1" ? 200 : 30;

/** Steps that a whole turn says: writes, and the calls' effects; one more is its end. */
const steps = 2 * (callCount + 4) + 2 * callCount;

/** A server that answers by what it is sent: calls where there are no outputs yet, else a text. */
async function serveModel(): Promise<string> {
  const server = createServer(async (request, answer) => {
    const { input } = (await json(request)) as { input: readonly { type: string }[] };
    const isAnswered = input.some(({ type }) => type === "function_call_output");
    const calls = Array.from({ length: callCount }, (_, at) => ({
      type: "function_call",
      id: `fc_${at + 1}`,
      call_id: `c${at + 1}`,
      name: "act",
      arguments: JSON.stringify({ n: at + 1 }),
    }));
    const said = [
      { type: "message", role: "assistant", content: [{ type: "output_text", text: "all done" }] },
    ];
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(JSON.stringify({ id: "r", status: "completed", output: isAnswered ? said : calls }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** Starts a turn in a process of its own, and kills it when it says its n-th step. Tells what it said. */
async function killAt(step: number, words: readonly string[]): Promise<string[]> {
  const program = join(import.meta.dirname, "kill/turn-process.ts");
  const child = spawn(process.execPath, ["-C", "@toolmount/source", program, ...words], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const said: string[] = [];
  const closed = once(child, "close");
  for await (const line of createInterface({ input: child.stdout })) {
    said.push(line);
    if (said.length === step) child.kill("SIGKILL");
  }
  await closed;
  return said;
}

/** Kills a turn at a step, goes on with it here, and looks at what was done and what was told. */
async function killAndResume(
  step: number,
  baseUrl: string,
): Promise<"finished before" | "nothing" | "resumed" | "unknown"> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-kill-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const [database, effects] = [join(folder, "state.db"), join(folder, "effects.txt")] as const;
  await writeFile(effects, "");
  const said = await killAt(step, [database, baseUrl, effects]);
  const linesOf = () => readFileSync(effects, "utf8").split("\n").filter(Boolean);
  const store = await openStore(`sqlite:${database}`);
  const { host, reasoner } = createTurnWorld(store, baseUrl, effects);
  try {
    const turn = await reasoner.resume(host, { sessionId: "s" }).catch((error: unknown) => {
      if (isToolmountError(error) && ["SESSION_NOT_FOUND", "SESSION_CONFLICT"].includes(error.code))
        return null;
      throw error;
    });
    if (turn === null && linesOf().length === 0) return "nothing";
    const { items, status } = await reasoner.show("s");
    expect(status, said.join(" ")).toBe("done");
    if (turn !== null) expect(turn).toMatchObject({ status: "done", text: "all done", calls: callCount });
    const outputs = items.filter(({ type }) => type === "function_call_output");
    expect(outputs.map(({ call_id: id }) => id)).toEqual(["c1", "c2", "c3", "c4", "c5"]);
    const done = linesOf();
    for (const [at, { output }] of outputs.entries()) {
      const times = done.filter((line) => line === String(at + 1)).length;
      if (output === `acted ${at + 1}`) expect(times, said.join(" ")).toBe(1);
      else {
        expect(output).toMatch(/OUTCOME_UNKNOWN/);
        expect(times).toBeLessThanOrEqual(1);
      }
    }
    if (turn === null) return "finished before";
    return outputs.every(({ output }) => (output as string).startsWith("acted")) ? "resumed" : "unknown";
  } finally {
    await host.close();
    await store.close();
  }
}

test(
  `APTIX-22: a turn of five calls, killed at ${kills} points, ends the same, each effect once or told as unknown`,
  { timeout: 600_000 },
  async ({ annotate }) => {
    const baseUrl = await serveModel();
    const ends: string[] = [];
    const points = Array.from({ length: kills }, (_, at) => 1 + Math.floor((at * (steps + 1)) / kills));
    const next = points.values();
    const worker = async () => {
      for (const step of next) ends.push(await killAndResume(step, baseUrl));
    };
    await Promise.all([worker(), worker()]);

    const count = (end: string) => ends.filter((one) => one === end).length;
    await annotate(
      `${count("nothing")} before the turn, ${count("resumed")} resumed whole, ${count("unknown")} with calls told as unknown, ${count("finished before")} after its end`,
    );
    expect(ends).toHaveLength(kills);
    expect(count("resumed") + count("unknown")).toBeGreaterThan(kills / 2);
    expect(count("unknown")).toBeGreaterThan(0);
  },
);
