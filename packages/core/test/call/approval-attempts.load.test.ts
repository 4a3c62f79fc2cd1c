import { expect, test } from "vitest";
import { createMemoryStore, data, type ApprovalRecord, type StateStore } from "../../src/index.ts";
import { createFakeClock, type FakeClock } from "../fake-clock.ts";
import { tool, world } from "../world.ts";

const alice = { sessionId: "session-1", userId: "alice" };

/** Numbers that look random and are the same each time. */
function* numbers(seed: number): Generator<number> {
  for (let state = seed; ;) yield (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

const random = numbers(20_260_101);
const pick = <Item>(items: readonly Item[]) => items[Math.floor(random.next().value! * items.length)]!;

/** The text with one character changed. */
function oneOther(text: string): string {
  const at = Math.floor(random.next().value! * text.length);
  const other = text[at] === "x" ? "y" : "x";
  return text.slice(0, at) + other + text.slice(at + 1);
}

interface Approved {
  readonly store: StateStore;
  readonly clock: FakeClock;
  readonly ticket: string;
  readonly id: string;
  readonly ran: unknown[];
  host(fields?: object): ReturnType<typeof world>["host"];
  /** Changes the record without the host, as anyone with write access to the store could. */
  tamper(change: (record: ApprovalRecord) => Partial<ApprovalRecord>): Promise<void>;
}

const description = "Pays an amount to a person. Use it when asked to. Not for refunds.";

async function approved(): Promise<Approved> {
  const store = createMemoryStore();
  const clock = createFakeClock();
  const ran: unknown[] = [];
  const host = (fields: object = {}) =>
    world(
      [
        tool((params) => data(ran.push(params)), {
          name: "pay",
          description,
          requiresConfirmation: true,
          ...fields,
        }),
      ],
      { store, clock },
      "inline",
      false,
    ).host;
  const first = host();
  const asked = await first.call({ name: "pay", arguments: { to: "bob", amount: 5 } }, alice);
  const [question] = await first.approvals.list();
  await first.approvals.decide(question!.id, "approve", "carol");
  const tamper: Approved["tamper"] = async (change) => {
    // A host of an earlier attempt may still be writing: what it changed in between is changed again.
    for (let done = false; !done;) {
      const record = (await store.approvals.get(question!.id))!;
      done = await store.approvals.replace({ ...record, ...change(record), version: record.version + 1 });
    }
  };
  return { store, clock, ticket: asked.ticket!, id: question!.id, ran, host, tamper };
}

/** Each tries to have the call run, with one thing that is not as it was approved. */
const attempts: Readonly<Record<string, (given: Approved) => Promise<unknown>>> = {
  "another ticket": ({ host, ticket }) => host().resume(oneOther(ticket), alice),
  "the approver's id as a ticket": ({ host, id }) => host().resume(id, alice),
  "another session": ({ host, ticket }) =>
    host().resume(ticket, { ...alice, sessionId: oneOther(alice.sessionId) }),
  "another user": ({ host, ticket }) => host().resume(ticket, { ...alice, userId: oneOther(alice.userId) }),
  "no session": ({ host, ticket }) => host().resume(ticket, { userId: alice.userId }),
  "another definition": ({ host, ticket }) =>
    host({ description: oneOther(description) }).resume(ticket, alice),
  "another tool": ({ host, ticket }) => host({ name: oneOther("pay") }).resume(ticket, alice),
  "other arguments, by a gate": ({ host, ticket }) => {
    const there = host();
    const other = { to: oneOther("bob"), amount: 5 };
    there.coordinator.hooks.gate("tool:pre", () => ({ action: "modify", data: { tool_input: other } }));
    return there.resume(ticket, alice);
  },
  "another request, by the store": async ({ host, ticket, tamper }) => {
    await tamper(({ sealed }) => ({ sealed: oneOther(sealed) }));
    return host().resume(ticket, alice);
  },
  "another digest, by the store": async ({ host, ticket, tamper }) => {
    await tamper(({ digest }) => ({ digest: oneOther(digest) }));
    return host().resume(ticket, alice);
  },
  "too late": async ({ host, ticket, clock }) => {
    await clock.advance(604_800_001);
    return host().resume(ticket, alice);
  },
  revoked: async ({ host, ticket, id }) => {
    await host().approvals.revoke(id);
    return host().resume(ticket, alice);
  },
  "a result for a tool that the server runs": ({ host, ticket }) => host().resume(ticket, alice, { data: 1 }),
};

test("10,000 attempts with one thing changed, expired or foreign: none is accepted", async () => {
  const names = Object.keys(attempts);
  const tried = new Map<string, number>();
  let given = await approved();
  for (let count = 0; count < 10_000; count++) {
    const name = pick(names);
    tried.set(name, (tried.get(name) ?? 0) + 1);
    const came = await attempts[name]!(given).catch((error: unknown) => error);
    expect(given.ran, `${name}: ${JSON.stringify(came)}`).toEqual([]);
    const record = await given.store.approvals.get(given.id);
    // What voids an approval takes it away; whatever is merely refused leaves it as it is. A record that was tampered
    // with is not used again: a second change could undo the first.
    if (record?.state !== "approved" || name.endsWith("by the store")) given = await approved();
  }
  expect(tried.size).toBe(names.length);
  const { host, ticket, ran } = await approved();
  expect(await host().resume(ticket, alice)).toMatchObject({ status: "ok" });
  expect(ran).toHaveLength(1);
});

test("a used ticket is never accepted again, however many attempts run together", async () => {
  const { host, ticket, ran } = await approved();
  const there = host();
  for (let round = 0; round < 50; round++)
    await Promise.all(Array.from({ length: 20 }, () => there.resume(ticket, alice)));
  expect(ran).toHaveLength(1);
});
