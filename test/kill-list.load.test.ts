import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { openStore } from "@toolmount/store";
import { expect, onTestFinished, test } from "vitest";
import { createListWorld } from "./support/list-world.ts";
import { linesOf } from "./support/undo-world.ts";

// Each kill is a process of its own, so a quarter of the steps do where the long forms do not run.
const isWhole = process.env["TOOLMOUNT_LONG"] === "1";
const ids = ["one", "two"];
const program = join(import.meta.dirname, "support/list-process.ts");

/** A folder with a list of bookings that a person approved. */
async function approvedList() {
  const base = mkdtempSync(join(tmpdir(), "toolmount-list-"));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const store = await openStore(`sqlite:${base}/state.db`);
  const host = createListWorld(store, `${base}/account`);
  const rehearsal = host.session("s").rehearse();
  for (const id of ids) await rehearsal.call({ name: "book", arguments: { id } });
  const { ticket } = await rehearsal.make({ digest: rehearsal.digest });
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "approve", "ada");
  await host.close();
  await store.close();
  return { base, ticket: ticket! };
}

/** Makes the calls in a process that kills itself at a step, 0 for none. Returns the number of its steps; null when killed. */
async function makeKilled(base: string, ticket: string, step: number) {
  // From its sources, as the tool of this process: an approval is bound to the code that it was given for.
  const args = ["-C", "@toolmount/source", program, base, ticket, String(step)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close") as Promise<[number | null, string | null]>;
  const said = await text(child.stdout);
  const [code, signal] = await ended;
  expect([code, signal]).toEqual(step === 0 ? [0, null] : [null, "SIGKILL"]);
  return Number(said);
}

/** Resumes the list, after the lease of the process that died. */
async function makeRest(base: string, ticket: string) {
  const store = await openStore(`sqlite:${base}/state.db`);
  const host = createListWorld(store, `${base}/account`);
  for (;;) {
    const outcome = await host.resume(ticket, { sessionId: "s" });
    if (outcome.status === "pending") continue; // the process that died still has its lease
    await host.close();
    await store.close();
    return outcome;
  }
}

test(
  "after a kill at a step of an approved list, no call of it is made twice, and what is not known is said",
  { timeout: 600_000 },
  async () => {
    const whole = await approvedList();
    const steps = await makeKilled(whole.base, whole.ticket, 0);
    expect(linesOf(`${whole.base}/account`)).toEqual(ids);

    for (let step = 1; step <= steps; step += isWhole ? 1 : 4) {
      const { base, ticket } = await approvedList();
      await makeKilled(base, ticket, step);
      const { status, result } = await makeRest(base, ticket);
      const booked = linesOf(`${base}/account`);
      expect([step, booked]).toEqual([step, ids.slice(0, booked.length)]);
      if (status === "ok") expect([step, booked]).toEqual([step, ids]);
      else
        expect([step, result]).toMatchObject([
          step,
          { code: "APPROVED_CALL_FAILED", details: { made: expect.anything() as unknown } },
        ]);
    }
  },
);
