import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { nodeFlags } from "./support/program.ts";

const isLong = process.env["TOOLMOUNT_LONG"] === "1";
const kills = isLong ? 500 : 28;
if (isLong) vi.setConfig({ testTimeout: 3_600_000 });
/** More steps than a call with a question has; at the last ones the server has answered before it dies. */
const steps = 14;
const token = "tm_of_the_kill_test";

/** How often a call may have run, by the status of its outcome. */
const timesOf: Readonly<Record<string, readonly number[]>> = { ok: [1], unknown: [0, 1], pending: [0] };

interface Answer {
  readonly status: number;
  readonly replayed: boolean;
  readonly body: { readonly status?: string; readonly code?: string; readonly runId?: string };
}

/** A server of two tools. It dies at its n-th step after `dieAt(n)`. */
async function startServer(folder: string) {
  const program = join(import.meta.dirname, "support/calls-process.ts");
  const words = [join(folder, "state.db"), join(folder, "effects.txt"), token];
  const child: ChildProcess = fork(program, words, { execArgv: [...nodeFlags] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = (await once(child, "message")) as [string];
  const call = async (tool: string, text: string): Promise<Answer | null> => {
    const headers = {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      "idempotency-key": text,
    };
    const body = JSON.stringify({ tool, arguments: { text }, sessionId: "s" });
    try {
      const response = await fetch(`${url}/api/v1/hosts/default/calls`, { method: "POST", headers, body });
      const replayed = response.headers.get("idempotent-replayed") === "true";
      return { status: response.status, replayed, body: (await response.json()) as Answer["body"] };
    } catch {
      return null; // it died
    }
  };
  return { child, call, dieAt: (step: number) => child.send(step) };
}

test(`a server is killed ${kills} times during calls with a key, and no call runs twice`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-kill-calls-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "effects.txt"), "");
  let server = await startServer(folder);
  const seen: Record<string, number> = {};
  for (let at = 0; at < kills; at++) {
    const tool = at % 2 === 0 ? "pay" : "pay_asked";
    const text = `payment ${at}`;
    server.dieAt(1 + (Math.floor(at / 2) % steps));
    let answer = await server.call(tool, text);
    if (server.child.exitCode === null && server.child.signalCode === null) server.child.kill("SIGKILL");
    if (server.child.signalCode === null) await once(server.child, "exit");
    server = await startServer(folder);
    const first = answer;
    do answer = await server.call(tool, text);
    while (answer?.status === 409);
    expect(answer?.status).toBe(200);
    const status = String(answer!.body.status);
    const lines = (await readFile(join(folder, "effects.txt"), "utf8")).split("\n");
    const times = lines.filter((line) => line === text).length;
    // What may have run does not run again: then its outcome is unknown. A question that was open still is.
    expect([text, status, times]).toEqual([text, status, timesOf[status]?.includes(times) ? times : "other"]);
    if (first !== null) expect(answer!.body.runId).toBe(first.body.runId);
    const again = await server.call(tool, text);
    expect([again?.replayed, again?.body.runId]).toEqual([true, answer!.body.runId]);
    seen[status] = (seen[status] ?? 0) + 1;
  }
  expect(Object.keys(seen).toSorted()).toEqual(expect.arrayContaining(["ok", "unknown"]));
  const reused = await server.call("pay_asked", "payment 0");
  expect([reused?.status, JSON.stringify(reused?.body)]).toEqual([
    422,
    expect.stringContaining("IDEMPOTENCY_KEY_REUSED"),
  ]);
});
