import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { nodeFlags } from "./support/program.ts";

const isLong = process.env["TOOLMOUNT_LONG"] === "1";
const kills = isLong ? 400 : 24;
if (isLong) vi.setConfig({ testTimeout: 3_600_000 });
/** More steps than a run has; at the last ones the server has answered before it dies. */
const steps = 10;
const token = "tm_of_the_kill_test";

/** How often a call may have run, by the status of its outcome. */
const timesOf: Readonly<Record<string, readonly number[]>> = { ok: [1], unknown: [0, 1] };

interface View {
  readonly id: string;
  readonly state: string;
  readonly info: { readonly callId: string };
}

/** A server that dies at its n-th step after `dieAt(n)`. */
async function startServer(folder: string) {
  const program = join(import.meta.dirname, "support/calls-process.ts");
  const words = [join(folder, "state.db"), join(folder, "effects.txt"), token];
  const child: ChildProcess = fork(program, words, { execArgv: [...nodeFlags] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = (await once(child, "message")) as [string];
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  /** Null: it died. */
  const ask = async (method: "GET" | "POST", path: string, body?: object) => {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return fetch(`${url}/api/v1/hosts/default/${path}`, { method, headers, ...sent }).then(
      async (answer) => (await answer.json()) as Readonly<Record<string, unknown>>,
      () => null,
    );
  };
  return { child, ask, dieAt: (step: number) => child.send(step) };
}

test(`a server is killed ${kills} times between the answer of a person and the end of a run, and no call runs twice`, async () => {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-kill-run-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeFile(join(folder, "effects.txt"), "");
  let server = await startServer(folder);
  const seen: Record<string, number> = {};
  for (let at = 0; at < kills; at++) {
    const text = `payment ${at}`;
    const asked = await server.ask("POST", "calls", {
      tool: "pay_later",
      id: text,
      arguments: { text },
      sessionId: "s",
    });
    const { waiting } = (await server.ask("GET", "approvals")) as unknown as { waiting: View[] };
    const { id } = waiting.find(({ info }) => info.callId === text)!;
    await server.ask("POST", `approvals/${id}/decision`, { decision: "approve" });
    server.dieAt(1 + (at % steps));
    // The caller asks at the same moment, in every second round.
    const resume = { ticket: asked!["ticket"], sessionId: "s" };
    await Promise.all([
      server.ask("POST", `approvals/${id}/run`, {}),
      ...(at % 2 === 0 ? [] : [server.ask("POST", "resume", resume)]),
    ]);
    if (server.child.exitCode === null && server.child.signalCode === null) server.child.kill("SIGKILL");
    if (server.child.signalCode === null) await once(server.child, "exit");
    server = await startServer(folder);

    await expect
      .poll(async () => (await server.ask("POST", `approvals/${id}/run`, {}))?.["state"])
      .toBe("ended");
    const outcome = await server.ask("POST", "resume", resume);
    const status = String(outcome!["status"]);
    const lines = (await readFile(join(folder, "effects.txt"), "utf8")).split("\n");
    const times = lines.filter((line) => line === text).length;
    expect([text, status, times]).toEqual([text, status, timesOf[status]?.includes(times) ? times : "other"]);
    seen[status] = (seen[status] ?? 0) + 1;
  }
  expect(Object.keys(seen).toSorted()).toEqual(["ok", "unknown"]);
});
