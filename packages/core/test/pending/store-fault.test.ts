import { afterEach, beforeEach, expect, test } from "vitest";
import {
  createHost,
  createMemoryStore,
  data,
  silentLogger,
  type Host,
  type ToolOutcome,
} from "../../src/index.ts";
import { tool } from "../world.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => void process.on("unhandledRejection", note).on("uncaughtException", note));
afterEach(async () => {
  await new Promise((resolve) => setImmediate(resolve));
  process.off("unhandledRejection", note).off("uncaughtException", note);
  expect(unhandled.splice(0)).toEqual([]);
});

/** A store of which the n-th use of any method fails: before it did anything, or after it did it all. */
function faultyStore(nth: number, when: "before" | "after") {
  const store = createMemoryStore({ audit: "durable" });
  const state = { used: 0, failed: false };
  const faulty = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get(target, key, receiver) {
        const method: unknown = Reflect.get(target, key, receiver);
        if (typeof method !== "function") return method;
        return async (...given: unknown[]) => {
          const fails = ++state.used === nth;
          if (fails) state.failed = true;
          if (fails && when === "before") throw new Error("sabotage");
          const answer: unknown = await Reflect.apply(method, target, given);
          if (fails) throw new Error("sabotage");
          return answer;
        };
      },
    });
  return { state, store: { ...store, approvals: faulty(store.approvals), audit: faulty(store.audit!) } };
}

/** One call that an approver answers immediately, one that is answered later and resumed, and one without a question. */
async function story(host: Host): Promise<ToolOutcome[]> {
  const context = { sessionId: "s", userId: "u" };
  const plain = await host.call({ name: "plain" }, context);
  const asked = await host.call({ name: "asks", arguments: { now: true } }, context);
  const put = await host.call({ name: "asks", arguments: { now: false } }, context);
  if (put.ticket === undefined) return [plain, asked, put];
  await decideAll(host);
  const gone = await goOn(host, put.ticket, context);
  if (gone.status === "pending") await decideAll(host);
  return [plain, asked, put, gone, await goOn(host, put.ticket, context)];
}

/** The holder of the ticket sees that the store failed, and may try again. */
async function goOn(
  host: Host,
  ticket: string,
  context: { sessionId: string; userId: string },
): Promise<ToolOutcome> {
  try {
    return await host.resume(ticket, context);
  } catch (error) {
    expect(error).toMatchObject({ code: "STORE_FAILED" });
    return host.resume(ticket, context);
  }
}

/** A decision that cannot be kept is not acknowledged, and may be given again. */
async function decideAll(host: Host): Promise<void> {
  for (let attempt = 0; attempt < 3; attempt++) {
    try {
      for (const { id } of await host.approvals.list({ states: ["pending"] }))
        await host.approvals.decide(id, "approve", "ada");
      return;
    } catch (error) {
      expect(error).toMatchObject({ code: "STORE_FAILED" }); // and tried again
    }
  }
}

test.each(["before", "after"] as const)(
  "when any use of the store fails, %s its work: no call runs twice or ends twice, and the caller sees the failure",
  async (when) => {
    let reached = 0;
    for (let nth = 1; nth <= 80; nth++) {
      const { store, state } = faultyStore(nth, when);
      const ran: string[] = [];
      const ends = new Map<unknown, number>();
      const host = createHost({
        store,
        logger: silentLogger,
        approver: ({ arguments: given }) => ({ decision: given["now"] === true ? "approve" : "later" }),
      });
      host.coordinator.hooks.observe("*", (event, payload) => {
        if (event === "tool:post" || event === "tool:error")
          ends.set(payload["run_id"], (ends.get(payload["run_id"]) ?? 0) + 1);
      });
      host.coordinator.mount(
        "tools",
        tool(() => data(ran.push("plain")), { name: "plain" }),
      );
      host.coordinator.mount(
        "tools",
        tool((params) => data(ran.push(params["now"] === true ? "now" : "later")), {
          name: "asks",
          requiresConfirmation: true,
        }),
      );

      for (const outcome of await story(host)) {
        const { result, status, runId } = outcome;
        expect(JSON.stringify(result)).not.toContain("sabotage");
        expect((result.error === undefined) === (status === "ok")).toBe(true);
        if (status !== "pending") expect(ends.get(runId) ?? 0).toBeLessThanOrEqual(1);
      }
      expect([...ends.values()].every((count) => count === 1)).toBe(true);
      for (const kind of ["plain", "now", "later"])
        expect(ran.filter((one) => one === kind).length).toBeLessThanOrEqual(1);
      expect((await host.close()).failures).toEqual([]);
      if (!state.failed) break;
      reached = nth;
    }
    expect(reached).toBeGreaterThan(10);
  },
);
