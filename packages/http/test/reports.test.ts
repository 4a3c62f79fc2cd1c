import { createMemoryStore } from "@toolmount/core";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { reportsWorld } from "./support/reports.ts";

const start = 1_800_000_000_000;

beforeEach(
  () =>
    void vi.useFakeTimers({
      toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
      now: start,
    }),
);
afterEach(() => void vi.useRealTimers());

const pass = (ms = 0) => vi.advanceTimersByTimeAsync(ms);
const no = () => Promise.reject(new Error("it is down"));

test("a question that is decided where no server has seen it wait, is reported by whichever server is there then", async () => {
  const store = createMemoryStore();
  const decided = reportsWorld(no, store);
  const reports = decided.open();
  const [unseen, seen] = [await decided.ask("unseen"), await decided.ask("seen")];
  const body = {
    callId: seen.info.callId,
    sent: ["question.asked"],
    attempts: 0,
    sending: false,
    text: null,
  };
  await decided.add({ id: seen.id, sessionId: "s", dueAt: null, body });
  for (const question of [unseen, seen]) await reports.expect(question);
  await reports.close();
  for (const { id } of [unseen, seen]) await decided.host.approvals.decide(id, "approve", "olga");

  const other = reportsWorld(undefined, store);
  other.open();
  await pass(40_000);
  expect(other.posted.map(({ id }) => id).toSorted()).toEqual(
    [
      `${seen.id}.question.decided`,
      `${unseen.id}.question.asked`,
      `${unseen.id}.question.decided`,
    ].toSorted(),
  );
});

describe("a question of a host", () => {
  test("is reported when it is asked, decided and ended, and its row says how far that is", async () => {
    const { host, open, see, ask, row, posted, listeners } = reportsWorld();
    open();
    const question = await ask("all", "ana");
    const { id } = question;
    const { callId } = question.info;
    await see();
    await pass();
    const facts = {
      kind: "report",
      id,
      scope: "plan",
      sessionId: "s",
      userId: "ana",
      at: question.createdAt,
    };
    const sentOf = (...sent: string[]) => ({ callId, sent, attempts: 0, sending: false, text: null });
    const report = (type: string) => ({
      id: `${id}.${type}`,
      type,
      data: { host: "main", question: expect.objectContaining({ id }), link: `https://tools.test/${id}` },
    });
    expect(posted).toEqual([{ ...report("question.asked"), at: start }]);
    const waits = { ...facts, status: "open", dueAt: null, body: sentOf("question.asked") };
    expect(await row(id)).toEqual({ ...waits, version: 4 });
    await see();
    await pass(20_000);
    expect(await row(id)).toEqual({ ...waits, version: 4 });

    await host.approvals.decide(id, "approve", "olga");
    await see();
    await pass();
    expect(posted.slice(1)).toMatchObject([report("question.decided")]);
    expect(posted[1]!.data.question.decision).toMatchObject({ by: "olga" });
    expect(await row(id)).toEqual({
      ...facts,
      version: 7,
      status: "open",
      dueAt: start + 25_000,
      body: sentOf("question.asked", "question.decided"),
    });
    expect(listeners.size).toBe(1);
  });

  test("that is decided and ended between two looks is reported three times, and its row is closed", async () => {
    const { host, open, see, ask, row, posted } = reportsWorld();
    open();
    const { id, ticket } = await ask();
    await see();
    await pass();
    await host.approvals.decide(id, { decision: "deny", reason: "no" }, "olga");
    await host.resume(ticket, { sessionId: "s" });
    await see();
    await pass();
    expect(posted.map(({ type }) => type)).toEqual(["question.asked", "question.decided", "question.ended"]);
    expect(posted[2]!.data.question.end).toMatchObject({ status: "denied" });
    expect(await row(id)).toMatchObject({ status: "reported", userId: null, dueAt: null });
    await see();
    await pass(60_000);
    expect(posted).toHaveLength(3);
  });

  test("has no link where the server has no address", async () => {
    const { open, see, ask, posted } = reportsWorld(undefined, undefined, () => undefined);
    open();
    const { id } = await ask();
    await see();
    await pass();
    expect(posted[0]!.data).toEqual({ host: "main", question: expect.objectContaining({ id }) });
  });

  test("that the store has no more is not reported, and its row is closed", async () => {
    const { open, add, row, posted } = reportsWorld();
    await add({ dueAt: start });
    open();
    await pass();
    expect(posted).toEqual([]);
    expect(await row("q")).toMatchObject({ version: 2, status: "reported", dueAt: null });
  });
});

describe("a report that does not arrive", () => {
  test("is sent again after pauses that grow, with the same id, and the log says why", async () => {
    const { open, see, ask, posted, logged, row } = reportsWorld(no);
    open();
    const { id } = await ask();
    await see();
    await pass();
    expect(await row(id)).toMatchObject({
      status: "open",
      dueAt: start + 5_000,
      body: { sent: [], attempts: 1, sending: false },
    });
    await pass(9_760_000);
    const times = posted.map(({ at }) => (at - start) / 1_000);
    expect(times).toEqual([0, 5, 35, 155, 755, 2_555, 6_155, 9_755]);
    expect(new Set(posted.map((one) => one.id))).toEqual(new Set([`${id}.question.asked`]));
    expect(logged.slice(0, 2)).toEqual([
      [
        "warn",
        { question: id, type: "question.asked", attempts: 0, problem: "it is down" },
        "a report did not arrive",
      ],
      [
        "warn",
        { question: id, type: "question.asked", attempts: 1, problem: "it is down" },
        "a report did not arrive",
      ],
    ]);
    expect(logged).toHaveLength(8);
  });

  test.each([
    [26, "open", 27],
    [27, "failed", 28],
  ])("after %i attempts makes its row %s", async (attempts, status, next) => {
    const { open, ask, add, row, posted } = reportsWorld(no);
    const { id, info } = await ask();
    await add({ id, dueAt: start, body: { callId: info.callId, sent: [], attempts, sending: false } });
    open();
    await pass();
    expect(await row(id)).toMatchObject({
      version: 3,
      status,
      dueAt: start + 3_600_000,
      body: { attempts: next },
    });
    await pass(3_600_000);
    expect(posted).toHaveLength(status === "open" ? 2 : 1);
  });

  test("because its server closes is left to the next one, however often it was sent", async () => {
    const { open, ask, add, row, logged, listeners, posted } = reportsWorld(() => new Promise(() => {}));
    const { id, info } = await ask();
    await add({ id, dueAt: start, body: { callId: info.callId, sent: [], attempts: 27, sending: false } });
    const reports = open();
    await pass();
    expect(await row(id)).toMatchObject({ dueAt: start + 30_000, body: { sending: true, attempts: 27 } });
    await reports.close();
    expect(await row(id)).toMatchObject({
      status: "open",
      dueAt: start,
      body: { sending: false, attempts: 27 },
    });
    expect([logged, listeners.size]).toEqual([[], 0]);
    await pass(60_000);
    expect(posted).toHaveLength(1);
  });
});

describe("several servers", () => {
  test("send a report once: while one says that it sends it, the other waits", async () => {
    const { open, ask, add, posted } = reportsWorld();
    const { id, info } = await ask();
    const body = { callId: info.callId, sent: [], attempts: 0, sending: true };
    await add({ id, dueAt: start + 30_000, body });
    open();
    await pass(29_999);
    expect(posted).toEqual([]);
    await pass(1);
    expect(posted).toHaveLength(1);
  });

  test("both look at a question, and one of them sends its report", async () => {
    const { open, see, ask, posted } = reportsWorld();
    open();
    open();
    await ask();
    await see();
    await pass(10_000);
    expect(posted.map(({ type }) => type)).toEqual(["question.asked"]);
  });

  test("of other plans leave the rows of this one alone, and old rows are deleted", async () => {
    const days = 86_400_000;
    const { open, add, row, posted, ask } = reportsWorld();
    const { id, info } = await ask();
    await add({ id, dueAt: start, body: { callId: info.callId, sent: [], attempts: 0, sending: false } });
    const rows = { failed: "failed", reported: "reported", open: "open" } as const;
    for (const [name, status] of Object.entries(rows)) {
      await add({ id: `old ${name}`, status, at: start - 90 * days - 1, dueAt: start + days });
      await add({ id: `new ${name}`, status, at: start - 90 * days, dueAt: start + days });
    }
    open("other");
    await pass(5_000);
    expect(posted).toEqual([]);
    const left = await Promise.all(
      Object.keys(rows).map(async (name) => [
        (await row(`old ${name}`)) === null,
        (await row(`new ${name}`)) === null,
      ]),
    );
    expect(left).toEqual([
      [true, false],
      [true, false],
      [false, false],
    ]);
    open();
    await pass();
    expect(posted.map((one) => one.id)).toEqual([`${id}.question.asked`]);
  });
});

test("eight reports are sent at the same time, and the others follow", async () => {
  const waits: (() => void)[] = [];
  const { open, see, ask, posted } = reportsWorld(() => new Promise((resolve) => void waits.push(resolve)));
  open();
  for (let count = 0; count < 10; count++) await ask(String(count));
  await see();
  await pass(10_000);
  expect(posted).toHaveLength(8);
  waits[0]!();
  await pass();
  expect(posted).toHaveLength(9);
});

test("a store that fails is logged, and asked again at the next look", async () => {
  const store = createMemoryStore();
  let isAway = true;
  const get = async (kind: string, id: string) => {
    if (isAway) throw new Error("it is away");
    return store.work!.get(kind, id);
  };
  const { open, see, ask, posted, logged } = reportsWorld(undefined, {
    ...store,
    work: { ...store.work!, get },
  });
  open();
  await ask();
  await see();
  await pass();
  expect([posted, logged]).toEqual([
    [],
    [["error", { err: new Error("it is away") }, "the reports of questions cannot be read or stored"]],
  ]);
  isAway = false;
  await pass(5_000);
  expect(posted).toHaveLength(1);
});
