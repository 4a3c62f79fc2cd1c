import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openStore } from "../src/index.ts";
import { sharedPostgres } from "./postgres.ts";

/** Rows that another program wrote into a store, as wide as no host writes them. */
const wide = (members: number) =>
  JSON.stringify(Object.fromEntries(Array.from({ length: members }, (_, at) => [`k${at}`, at])));

type Row = Readonly<Record<string, string | number | null>>;

/** A store, and another program that can write to its database. */
interface World {
  readonly store: Awaited<ReturnType<typeof openStore>>;
  readonly insert: (table: string, row: Row) => Promise<unknown>;
  readonly close: () => Promise<unknown>;
}

const namesOf = (row: Row) => Object.keys(row).join();
const placesOf = (row: Row, place: (at: number) => string) =>
  Object.keys(row)
    .map((_, at) => place(at + 1))
    .join();

async function onSqlite(): Promise<World> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-wide-"));
  const file = join(folder, "state.db");
  const store = await openStore(`sqlite:${file}`, { audit: "durable" });
  const database = new DatabaseSync(file);
  return {
    store,
    insert: async (table, row) =>
      database
        .prepare(`insert into ${table} (${namesOf(row)}) values (${placesOf(row, () => "?")})`)
        .run(...Object.values(row)),
    close: async () => {
      database.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function onPostgres(): Promise<World> {
  const server = await sharedPostgres();
  const url = await server.database("wide");
  const store = await openStore(url, { audit: "durable" });
  const client = new Client({ connectionString: url });
  await client.connect();
  return {
    store,
    insert: (table, row) =>
      client.query(
        `insert into ${table} (${namesOf(row)}) values (${placesOf(row, (at) => `$${at}`)})`,
        Object.values(row),
      ),
    close: async () => {
      await client.end();
      await store.close();
      await server.stop();
    },
  };
}

const approval = (id: string, body: string) => ({
  id,
  ticket_hash: id,
  state: "waiting",
  version: 1,
  session_id: id,
  user_id: null,
  call_id: null,
  created_at: 1,
  due_at: null,
  body,
});

interface Table {
  readonly what: string;
  readonly table: string;
  readonly row: (id: string, body: string) => Row;
  readonly read: (store: World["store"], id: string) => Promise<unknown>;
}

const tables: readonly Table[] = [
  {
    what: "session",
    table: "sessions",
    row: (id, body) => ({ id, parent_id: null, version: 1, updated_at: 1, body }),
    read: (store, id) => Promise.resolve(store.sessions.load(id)),
  },
  {
    what: "entry of a session",
    table: "session_entries",
    row: (id, body) => ({ session_id: id, sequence: 1, body }),
    read: (store, id) => Promise.resolve(store.sessions.entries(id)),
  },
  {
    what: "value of a session's state",
    table: "session_state",
    row: (id, body) => ({ session_id: JSON.stringify(id), key: '"k"', body }),
    read: async (store, id) => Object.fromEntries((await store.sessions.readState?.(id)) ?? []),
  },
  {
    what: "question",
    table: "approvals",
    row: approval,
    read: (store, id) => Promise.resolve(store.approvals.get(id)),
  },
  {
    what: "record of the audit",
    table: "audit",
    row: (id, body) => ({ writer: id, sequence: 1, at: 1, run_id: id, tool: "t", body }),
    read: (store, id) => Promise.resolve(store.audit!.read({ runId: id })),
  },
];

describe.each([
  ["SQLite", onSqlite],
  ["Postgres", onPostgres],
])("on %s", (_, open) => {
  let world: World;
  beforeAll(async () => {
    world = await open();
  });
  afterAll(() => world.close());

  test.each(tables)(
    "a $what of 500,000 members is refused before it is parsed, and others can be read",
    async ({ table, row, read }) => {
      await world.insert(table, row("wide", wide(500_000)));
      await world.insert(table, row("most", wide(20_000)));

      await expect(read(world.store, "wide")).rejects.toThrow("an object of more than 20000 members");
      expect(JSON.stringify(await read(world.store, "most"))).toContain("19999");
    },
  );

  test("a question that is too wide, or damaged, is listed as one that cannot be read, and hides no other", async () => {
    const asked = (id: string, body: string, at: number) => ({
      ...approval(id, body),
      state: "pending",
      user_id: "ann",
      created_at: at,
      due_at: at,
    });
    const whole = (id: string) => JSON.stringify({ id, sealed: "x", state: "pending" });
    await world.insert("approvals", asked("first", whole("first"), 10));
    await world.insert("approvals", asked("too wide", wide(500_000), 11));
    await world.insert("approvals", asked("damaged", '{"id":', 12));
    await world.insert("approvals", asked("last", whole("last"), 13));
    const { approvals } = world.store;

    const listed = await approvals.list({ states: ["pending"], userId: "ann" });

    expect(listed.map(({ id }) => id)).toEqual(["first", "too wide", "damaged", "last"]);
    expect(listed[1]).toMatchObject({
      tool: "unreadable",
      state: "pending",
      info: { sessionId: "too wide", userId: "ann" },
      prompt: expect.stringContaining(
        "cannot be read, and no answer to it counts: a row of the store has an object",
      ),
      createdAt: 11,
      expiresAt: 11,
      sealed: "",
    });
    expect(listed[2]!.prompt).toContain("JSON");
    // The host ends what is due, and ends no question that it cannot read.
    expect((await approvals.list({ dueBy: 20 })).map(({ id }) => id)).toEqual(["first", "last"]);
    await expect(approvals.findByTicket("too wide")).rejects.toThrow("more than 20000 members");
  });

  test("an answer for later calls that cannot be read answers nothing, and hides no other", async () => {
    const kept = (id: string, body: string) => ({ id, tool: "pay", at: 1, body, uses: 0, used_at: null });
    await world.insert("remembered", kept("wide", wide(500_000)));
    await world.insert("remembered", kept("damaged", "{"));
    await world.insert(
      "remembered",
      kept("whole", JSON.stringify({ id: "whole", tool: "pay", expiresAt: 7 })),
    );

    expect(await world.store.approvals.remembered("pay")).toEqual([
      { id: "whole", tool: "pay", expiresAt: 7, uses: 0, usedAt: null },
    ]);
  });
});
