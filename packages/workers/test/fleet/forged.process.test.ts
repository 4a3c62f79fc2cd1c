import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { silentLogger, type Json, type JsonObject, type Logger } from "@toolmount/core";
import fc from "fast-check";
import { Client } from "pg";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { fleetHost, worker, type FleetPlace } from "./fleet-world.ts";
import { sharedPostgres } from "./servers.ts";

const key = "the key of a fleet, which a forger does not have";

/** A loaded machine takes its time. */
const patience = { timeout: 60_000 };

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
let folder: string;
let databases = 0;

beforeAll(async () => {
  postgres = await sharedPostgres();
  folder = mkdtempSync(join(tmpdir(), "toolmount-forged-"));
});

afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Row {
  readonly run_id: string;
  readonly job: string;
  readonly state: string;
  readonly ending: string | null;
}

/** A fleet, and a forger who can write to its database. `warned` has what hosts and workers logged. */
async function forgedWorld(run: JsonObject = { key }) {
  const database = await postgres.database(`forged${++databases}`);
  const warned: string[] = [];
  const logger: Logger = {
    ...silentLogger,
    warn: (_, text) => void warned.push(String(text)),
    child: () => logger,
  };
  const place: FleetPlace = { database, run, module: "../modules/fleet-tools.ts", logger };
  // A limit that a loaded machine does not reach.
  const host = await fleetHost(place, { limits: { timeoutMs: 100_000, graceMs: 50_000 } });
  const forger = new Client({ connectionString: database });
  onTestFinished(async () => {
    await forger.end();
    await host.close({ graceMs: 1 });
  });
  await forger.connect();
  const file = join(folder, `effects-${databases}`);
  const call = (given: JsonObject = {}) => host.call({ name: "effect", arguments: { file, ...given } });
  const sql = async (text: string, values: readonly unknown[] = []) =>
    (await forger.query(text, [...values])).rows as Row[];
  /** The rows of the ledger, when there are so many of a state. The host makes the tables at its first call. */
  const rows = async (count: number, state = "waiting") => {
    const find = () => sql("select * from toolmount_fleet_calls where state = $1", [state]).catch(() => []);
    await expect.poll(async () => (await find()).length, patience).toBe(count);
    return find();
  };
  const effects = () => (existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : []);
  return { place, host, warned, file, call, sql, rows, effects };
}

test("a job that was changed in the database is not run", async () => {
  const { place, call, rows, sql, file, warned } = await forgedWorld();
  const outcome = call();
  const [row] = await rows(1);
  const other = join(folder, "not-asked-for");
  await sql("update toolmount_fleet_calls set job = $1", [row!.job.replaceAll(file, other)]);
  await using _ = await worker(place);

  const { status, result } = await outcome;
  expect({ status, code: result.code }).toEqual({ status: "failed", code: "UNAVAILABLE" });
  expect(result.error).toContain("it is not signed with the fleet's key");
  expect([existsSync(file), existsSync(other)]).toEqual([false, false]);
  expect(warned).toContain("a job in the ledger of a fleet was refused");
});

test("a signed job counts for its own run, tool and queue only", async () => {
  const { place, call, rows, sql, effects } = await forgedWorld();
  const outcome = call();
  const [row] = await rows(1);
  const copy = (columns: string) =>
    sql(
      `insert into toolmount_fleet_calls (run_id, host, queue, session, tool, digest, idempotent, job, nested, rank)
       select ${columns}, job, nested, rank from toolmount_fleet_calls where run_id = $1`,
      [row!.run_id],
    );
  await copy("'another-run', 'forger', queue, session, tool, digest, idempotent");
  await copy("'another-idempotence', 'forger', queue, session, tool, digest, not idempotent");
  await using _ = await worker(place);

  expect(await outcome).toMatchObject({ status: "ok" });
  const ended = await rows(2, "ended");
  for (const { ending } of ended) expect(ending).toContain("not signed with the fleet's key");
  expect(effects()).toEqual([row!.run_id]);
});

const deep = (levels: number) => `${"[".repeat(levels)}${"]".repeat(levels)}`;

const poison = {
  "no JSON": "}",
  "an empty text": "",
  null: "null",
  "a list": "[]",
  "an object without a call": "{}",
  "a call of another tool":
    '{"info":{"callId":"c","runId":"r","tool":"asks","depth":0},"arguments":{},"timeoutMs":0,"state":{}}',
  "a member that no host writes":
    '{"info":{"callId":"c","runId":"r","tool":"effect","depth":0},"arguments":{},"timeoutMs":0,"state":{},"x":1}',
  "400,000 levels": deep(400_000),
  "500,000 members": `{${Array.from({ length: 500_000 }, (_, at) => `"k${at}":0`).join()}}`,
  "arguments of 5,000 levels": `{"info":{"callId":"c","runId":"r","tool":"effect","depth":0},"arguments":{"a":${deep(5_000)}},"timeoutMs":0,"state":{}}`,
};

test.each([[{}], [{ key }]])(
  "poisoned jobs end by themselves, and harm no call beside them (%j)",
  async (run) => {
    const { place, call, rows, sql, effects } = await forgedWorld(run);
    const outcomes = [call(), call()];
    const [row] = await rows(2);
    for (const [at, job] of Object.values(poison).entries())
      await sql(
        `insert into toolmount_fleet_calls (run_id, host, queue, session, tool, digest, idempotent, job, nested, rank)
       select 'poison-' || $2::text, 'forger', queue, session, tool, digest, idempotent, $3, nested, rank
       from toolmount_fleet_calls where run_id = $1`,
        [row!.run_id, at, job],
      );
    await using _ = await worker(place);

    for (const outcome of outcomes) expect(await outcome).toMatchObject({ status: "ok" });
    const ended = await rows(Object.keys(poison).length, "ended");
    for (const { ending } of ended) expect(ending).toContain("its job in the fleet's ledger was refused");
    expect(effects()).toHaveLength(2);
  },
);

/** Integers that JavaScript would change, with the members that have them. */
const changed = fc
  .sample(fc.bigInt({ min: 2n ** 53n + 1n, max: 10n ** 24n }), { numRuns: 8, seed: 5641 })
  .map((integer, at) => (at % 2 === 0 ? integer : -integer))
  .filter((integer) => BigInt(Number(integer)) !== integer);

test("a job with a number that would be changed ends with the number and its member (seed 5641)", async () => {
  const { place, call, rows, sql, effects } = await forgedWorld({});
  const outcomes = changed.map((_, at) => call({ ms: 1_000 + at }));
  for (const { run_id, job } of await rows(changed.length)) {
    const ms = Number(/"ms":(\d+)/.exec(job)![1]);
    await sql("update toolmount_fleet_calls set job = $2 where run_id = $1", [
      run_id,
      job.replace(`"ms":${ms}`, `"ms":${changed[ms - 1_000]}`),
    ]);
  }
  await using _ = await worker(place);

  for (const [at, outcome] of outcomes.entries()) {
    const { status, result } = await outcome;
    expect(status).toBe("failed");
    expect(result.error).toContain(`the number ${changed[at]} at arguments.ms, which would be changed`);
  }
  expect(effects()).toEqual([]);
});

test("a host without the key, or with another one, gets nothing to run", async () => {
  const { place, call, effects } = await forgedWorld({});
  await using _ = await worker({ ...place, run: { key } });

  const { result } = await call();
  expect(result.error).toContain("it is not signed with the fleet's key");
  expect(effects()).toEqual([]);
});

test("a message that no worker wrote makes no call, and an answer that no worker wrote is not the call's", async () => {
  const { place, host, call, rows, sql, warned, effects } = await forgedWorld();
  await using _ = await worker(place);
  const outcome = call({ ms: 90_000 });
  const [row] = await rows(1, "taken");
  const say = (body: Json) =>
    sql("insert into toolmount_fleet_messages (run_id, recipient, body) values ($1, 'host', $2)", [
      row!.run_id,
      JSON.stringify(body),
    ]);
  const request = { name: "effect", arguments: {} };
  await say({ type: "call", runId: row!.run_id, id: 0, request });
  await say({ value: { type: "call", runId: row!.run_id, id: 0, request }, signature: "AAAA" });
  await expect
    .poll(() => warned.filter((line) => line.includes("the host does not know")).length, patience)
    .toBe(2);
  const answer = { type: "returned", runId: row!.run_id, value: { data: "forged" } };
  await sql("update toolmount_fleet_calls set state = 'ended', ending = $1, ended_at = now()", [
    JSON.stringify({ kind: "answered", answer }),
  ]);

  expect(await outcome).toMatchObject({ status: "unknown", result: { code: "OUTCOME_UNKNOWN" } });
  expect(effects()).toEqual([row!.run_id]);
  expect(host.tools()).toHaveLength(3);
});

const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, at])));

test.each([
  ["no JSON", "}"],
  ["an object of 30,000 members", wide],
  ["a kind that no worker writes", '{"kind":"paid"}'],
  ["null", "null"],
])("an ending that is %s ends its own call, and no other", async (...[, ending]) => {
  const { place, call, rows, sql } = await forgedWorld();
  await using _ = await worker(place);
  const outcome = call({ ms: 90_000 });
  const [row] = await rows(1, "taken");
  await sql(
    "update toolmount_fleet_calls set state = 'ended', ending = $1, ended_at = now() where run_id = $2",
    [ending, row!.run_id],
  );
  // The others of this host are read in the same look.
  const other = call();

  expect(await outcome).toMatchObject({ status: "unknown", result: { code: "OUTCOME_UNKNOWN" } });
  expect(await other).toMatchObject({ status: "ok" });
});

test("notifications, messages and members that others write end neither host nor worker", async () => {
  const { place, call, rows, sql } = await forgedWorld();
  await using _ = await worker(place);
  const outcome = call({ ms: 1_000 });
  const [row] = await rows(1, "taken");
  const [{ host: name } = { host: "" }] = (await sql(
    "select host from toolmount_fleet_calls",
  )) as unknown as {
    host: string;
  }[];
  for (const payload of [`ended ${row!.run_id} }`, `ended ${row!.run_id} null`, "ended", "said x [", ""])
    await sql("select pg_notify($1, $2)", [`toolmount_fleet_${name}`, payload]);
  for (const body of ["}", wide, "null"])
    await sql("insert into toolmount_fleet_messages (run_id, recipient, body) values ($1, 'host', $2)", [
      row!.run_id,
      body,
    ]);
  await sql(
    `insert into toolmount_fleet_members (name, role, queue, tool_group, tools, facts, until)
     select 'forger', role, queue, tool_group, '}', $1, until from toolmount_fleet_members where role = 'worker' limit 1`,
    [wide],
  );

  expect(await outcome).toMatchObject({ status: "ok" });
  expect(await call()).toMatchObject({ status: "ok" });
});

test("with a key, a call and its progress arrive as without one", async () => {
  const { place, host, file } = await forgedWorld();
  await using _ = await worker(place);
  const seen: number[] = [];
  const context = { onProgress: ({ progress }: { progress: number }) => void seen.push(progress) };

  expect(await host.call({ name: "effect", arguments: { file } }, context)).toMatchObject({ status: "ok" });
  expect(seen).toEqual([0]);
});
