// A turn of five calls whose process is killed, or whose disk fails, and the process that ends it afterwards.
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { isToolmountError } from "@toolmount/core";
import { openStore } from "@toolmount/store";
import { expect, onTestFinished } from "vitest";
import { bundleProgram, type OneFile } from "../../packages/store/test/one-file.ts";
import { callCount, createTurnWorld } from "./turn-world.ts";

const callsOf = (...numbers: number[]) =>
  numbers.map((n) => ({
    type: "function_call",
    id: `fc_${n}`,
    call_id: `c${n}`,
    name: "act",
    arguments: JSON.stringify({ n }),
  }));
const said = [{ type: "message", role: "assistant", content: [{ type: "output_text", text: "all done" }] }];

/** A server that answers by how many outputs it is sent: three calls, two more, then a text. */
export async function serveModel(): Promise<string> {
  const server = createServer(async (request, answer) => {
    const { input } = (await json(request)) as { input: readonly { type: string }[] };
    const answered = input.filter(({ type }) => type === "function_call_output").length;
    const output = answered === 0 ? callsOf(1, 2, 3) : answered === 3 ? callsOf(4, 5) : said;
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(JSON.stringify({ id: "r", status: "completed", output }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

/** The program of the turn as one file. */
export async function turnProgram(): Promise<OneFile> {
  const program = await bundleProgram(join(import.meta.dirname, "turn-process.ts"), {
    pg: "pg",
    "@ai-sdk/anthropic": import.meta.resolve("@ai-sdk/anthropic"),
    "@ai-sdk/google": import.meta.resolve("@ai-sdk/google"),
  });
  onTestFinished(program.remove);
  return program;
}

/** Where a turn has its state and its effects. */
export interface TurnPlace {
  readonly database: string;
  readonly effects: string;
}

export async function inFolder<Value>(act: (paths: TurnPlace) => Promise<Value>): Promise<Value> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-kill-"));
  try {
    const paths = { database: join(folder, "state.db"), effects: join(folder, "effects.txt") };
    await writeFile(paths.effects, "");
    return await act(paths);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Resumes the turn in this process, and checks the effects and the reports. `mayFail`: the turn could not store something
 * and may have ended with that.
 */
export async function finish(
  { database, effects }: TurnPlace,
  baseUrl: string,
  whole: readonly object[] | null,
  { mayFail = false }: { readonly mayFail?: boolean } = {},
) {
  const store = await openStore(`sqlite:${database}`);
  const { host, reasoner } = createTurnWorld(store, baseUrl, effects);
  try {
    const turn = await reasoner.resume(host, { sessionId: "s" }).catch((error: unknown) => {
      if (isToolmountError(error) && ["SESSION_NOT_FOUND", "SESSION_CONFLICT"].includes(error.code))
        return null;
      throw error;
    });
    const done = readFileSync(effects, "utf8").split("\n").filter(Boolean);
    const shown = await reasoner.show("s").catch(() => null);
    if (shown === null || shown.turns === 0) {
      expect([turn, done]).toEqual([null, []]);
      return { end: "nothing" as const, items: [] };
    }
    if (turn !== null)
      expect(turn).toMatchObject({ status: "done", text: "all done", calls: callCount, iterations: 3 });
    const { items } = shown;
    const isFailed = mayFail && turn === null && shown.status === "failed";
    const usage = isFailed ? {} : { requests: 3 };
    expect(shown).toMatchObject({ status: isFailed ? "failed" : "done", turns: 1, waiting: [], usage });
    const isAnswered = (id: unknown) =>
      items.some((item) => item["type"] === "function_call_output" && item["call_id"] === id);
    for (const { type, call_id: id } of items)
      if (type === "function_call") expect(isAnswered(id)).toBe(true);
    let unknown = 0;
    for (const [at, { type, call_id: id, output }] of items.entries()) {
      if (type !== "function_call_output") continue;
      const n = (id as string).slice(1);
      const times = done.filter((line) => line === n).length;
      if (mayFail && isNotMade(items[at])) {
        expect(times).toBe(0);
      } else if (isUnknown(items[at])) {
        unknown++;
        expect(times, `call ${n}`).toBeLessThanOrEqual(1);
        if (!isFailed) expect({ ...items[at], output: "" }).toEqual({ ...whole?.[at], output: "" });
      } else {
        expect([output, times]).toEqual([`acted ${n}`, 1]);
      }
    }
    if (isFailed) return { end: "failed" as const, items };
    // Except for calls reported as unknown or not made, it equals the turn that was not killed.
    const isTold = (_: unknown, at: number) => !isUnknown(items[at]) && !isNotMade(items[at]);
    if (whole !== null) expect(items.filter(isTold)).toEqual(whole.filter(isTold));
    return {
      end: turn === null ? ("over" as const) : unknown > 0 ? ("unknown" as const) : ("resumed" as const),
      items,
    };
  } finally {
    await host.close();
    await store.close();
  }
}

function isUnknown(item: Item): boolean {
  return says(item, "OUTCOME_UNKNOWN");
}

function isNotMade(item: Item): boolean {
  return says(item, "before the call ran");
}

type Item = Readonly<Record<string, unknown>> | undefined;

function says(item: Item, words: string): boolean {
  return typeof item?.["output"] === "string" && item["output"].includes(words);
}
