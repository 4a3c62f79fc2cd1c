import { createMemoryStore, data, defineTool, type ToolOutcome } from "@toolmount/core";
import { expect, test, vi } from "vitest";
import { z } from "zod";
import { createWorld, serve } from "./support/world.ts";

const isFull = process.env["TOOLMOUNT_LOAD"] === "full";
if (isFull) vi.setConfig({ testTimeout: 3_600_000 });

// The full size is 200 sessions of 500 calls: TOOLMOUNT_LOAD=full.
const [sessions, each] = isFull ? [200, 500] : [20, 25];
const calls = "/api/v1/hosts/default/calls";
/** Reports of one call of `pour`: more than the server queues for a slow reader, and more than a socket holds. */
const reports = 400;

const base = {
  category: "side_effect",
  consequenceLevel: "low",
  requiresConfirmation: false,
  timeout: 0,
} as const;
const schema = z.strictObject({ text: z.string() });

/** Reports more than a slow reader can take, then ends with its text. */
const pour = defineTool({
  ...base,
  name: "pour",
  description: "Reports much. Use in tests.",
  schema,
  execute: async ({ text }, { sessionId, progress }) => {
    for (let at = 1; at <= reports; at++) progress({ progress: at, message: "m".repeat(1_000) });
    return data({ text, sessionId });
  },
});

/** Reports that it has begun, then ends only when its call is cancelled. */
const hold = defineTool({
  ...base,
  name: "hold",
  description: "Waits until its call is cancelled. Use in tests.",
  schema,
  execute: async (_, { abortSignal, progress }) => {
    progress({ progress: 1 });
    return new Promise<never>((_resolve, reject) => {
      abortSignal.addEventListener("abort", () => reject(new Error("stopped")));
    });
  },
});

/** Everything that this test saw and did not expect, and how each answered call ended. */
interface Seen {
  readonly wrong: unknown[];
  readonly answered: Map<string, string>;
  readonly left: { begun: number; random: number; late: number };
}

async function startLoad() {
  const store = createMemoryStore({ audit: "batched" });
  const { host } = createWorld({ store });
  for (const tool of [pour, hold]) host.coordinator.mount("tools", tool);
  const { server, tokens, ask } = await serve(host, {
    limits: { requests: "10000000/min" },
  });
  const seen: Seen = { wrong: [], answered: new Map(), left: { begun: 0, random: 0, late: 0 } };
  const stream = (body: object, signal?: AbortSignal) =>
    fetch(`${server.url}${calls}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${tokens.operator}`,
        "content-type": "application/json",
        accept: "text/event-stream",
      },
      body: JSON.stringify(body),
      ...(signal !== undefined && { signal }),
    });
  return { store, host, server, ask, seen, stream };
}

type Load = Awaited<ReturnType<typeof startLoad>>;

/** An outcome that a client read: it must be of the call and the session that the client asked for. */
function check({ seen }: Load, outcome: ToolOutcome, sessionId: string, text: string): void {
  seen.answered.set(outcome.runId, outcome.status);
  const { text: got, sessionId: of } = (outcome.result?.data ?? {}) as Record<string, unknown>;
  if (got !== text || of !== sessionId) seen.wrong.push({ sessionId, text, outcome });
}

/** A client that was disconnected connects again, and reads how its call ended; null for one that has not arrived yet. */
async function readEnd({ ask }: Load, sessionId: string, callId: string): Promise<ToolOutcome | null> {
  for (;;) {
    const { body } = await ask("GET", `${calls}?session=${sessionId}&callId=${callId}`);
    const [call] = body["calls"] as unknown as readonly ToolOutcome[];
    if (call === undefined) return null;
    if ((call.status as string) !== "running") return call;
  }
}

async function callAndStay(load: Load, sessionId: string, at: number): Promise<void> {
  const text = `${sessionId} ${at}`;
  const body = { tool: "echo", id: String(at), sessionId, arguments: { text } };
  const answer = await load.ask("POST", calls, { body });
  check(load, answer.body as unknown as ToolOutcome, sessionId, text);
}

/** Disconnects at some moment: before the call arrives, while it runs, or after it has ended. */
async function callAndLeave(load: Load, sessionId: string, at: number): Promise<void> {
  const text = `${sessionId} ${at}`;
  const body = { tool: "echo", id: String(at), sessionId, arguments: { text } };
  const signal = AbortSignal.timeout(at % 3);
  const answer = await load.ask("POST", calls, { body, signal }).catch(() => null);
  if (answer !== null) return check(load, answer.body as unknown as ToolOutcome, sessionId, text);
  load.seen.left.random += 1;
  const end = await readEnd(load, sessionId, String(at));
  if (end === null) load.seen.left.late += 1;
  else if (!["ok", "cancelled"].includes(end.status)) load.seen.wrong.push(end);
  else load.seen.answered.set(end.runId, end.status);
}

/** Disconnects when the call has surely begun. */
async function beginAndLeave(load: Load, sessionId: string, at: number): Promise<void> {
  const controller = new AbortController();
  const body = { tool: "hold", id: String(at), sessionId, arguments: { text: "" } };
  const response = await load.stream(body, controller.signal);
  await response.body!.getReader().read();
  controller.abort();
  load.seen.left.begun += 1;
  const end = await readEnd(load, sessionId, String(at));
  if (end?.status !== "cancelled") load.seen.wrong.push({ sessionId, at, end });
  else load.seen.answered.set(end.runId, end.status);
}

/** Reads nothing of a stream until the other calls of its session have ended; then its outcome must still come. */
async function readSlowly(load: Load, sessionId: string, others: () => Promise<void>): Promise<void> {
  const text = `${sessionId} slow`;
  const response = await load.stream({ tool: "pour", id: "slow", sessionId, arguments: { text } });
  await others();
  const events = [...(await response.text()).matchAll(/^event: (.*)\ndata: (.*)$/gm)].map(
    ([, event, json]) => ({ event, data: JSON.parse(json!) as Record<string, unknown> }),
  );
  const came = events.filter(({ event }) => event === "progress").map(({ data: given }) => given["progress"]);
  const isDropped = events.some(({ event }) => event === "dropped");
  // A flood is paced: the first reports and the newest come, in their order.
  if (came.length > reports || (!isDropped && came.at(-1) !== reports))
    load.seen.wrong.push({ sessionId, came: came.length, last: came.at(-1) });
  check(load, (events.at(-1)?.data ?? {}) as unknown as ToolOutcome, sessionId, text);
}

/** The calls of one session, one after the other. */
async function runSession(load: Load, sessionId: string): Promise<void> {
  await readSlowly(load, sessionId, async () => {
    for (let at = 0; at < each - 1; at++) {
      if (at % 10 === 9) await callAndLeave(load, sessionId, at);
      else if (at % 10 === 4) await beginAndLeave(load, sessionId, at);
      else await callAndStay(load, sessionId, at);
    }
  });
}

test("sessions that call together, with clients that go and clients that read slowly: no outcome is lost, and none comes to another session", async ({
  annotate,
}) => {
  const load = await startLoad();

  await Promise.all(Array.from({ length: sessions }, (_, at) => runSession(load, `s${at}`)));
  await load.server.close();
  await load.host.close();

  const { wrong, answered, left } = load.seen;
  expect(wrong).toEqual([]);
  const records = (await load.store.audit!.read()).map(({ entry }) => entry);
  const ends = new Map<string, unknown[]>();
  for (const { runId } of records) ends.set(runId, []);
  for (const { kind, runId, ...entry } of records) if (kind === "end") ends.get(runId)!.push(entry["status"]);
  const notOnce = [...ends].filter(([, statuses]) => statuses.length !== 1);
  expect(notOnce).toEqual([]);
  // How a client saw its call end, also one that connected again, is how the audit has it.
  const different = [...answered].filter(([runId, status]) => ends.get(runId)?.[0] !== status);
  expect(different).toEqual([]);
  // A call that arrived after its client had asked for its end, or never, is known from the audit alone.
  expect(answered.size + left.late).toBe(sessions * each);
  expect(left.begun).toBe(sessions * Math.floor((each + 4) / 10));
  await annotate(JSON.stringify({ calls: sessions * each, inAudit: ends.size, ...left }));
});
