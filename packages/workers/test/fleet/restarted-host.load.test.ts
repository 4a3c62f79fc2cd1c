import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { openLedger } from "@toolmount/store";
import { fleetHost, fleetPlace, worker, type FleetPlace } from "./fleet-world.ts";
import { startPostgres, startRedis, type RedisServer } from "./servers.ts";

let postgres: Awaited<ReturnType<typeof startPostgres>>;
let redis: RedisServer;
let folder: string;
let databases = 0;

beforeAll(async () => {
  [postgres, redis] = await Promise.all([startPostgres(), startRedis()]);
  folder = mkdtempSync(join(tmpdir(), "toolmount-restarted-"));
});

afterAll(async () => {
  await redis.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

const flags = process.env["TOOLMOUNT_TEST_BUILT"] === "1" ? [] : ["--conditions=@toolmount/source"];

/** Starts a host that makes one call. Kill it at the moment that the test is about. */
function startHost({ database, engine, file, ms }: Record<"database" | "engine" | "file" | "ms", string>) {
  const program = fileURLToPath(new URL("one-call.ts", import.meta.url));
  const child = spawn(process.execPath, [...flags, program, database, engine, file, ms], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const exited = once(child, "exit");
  return {
    outcome: once(createInterface({ input: child.stdout }), "line") as Promise<[string]>,
    async kill() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

describe.each(["postgres", "redis"])("a host that is killed, with a fleet over %s", (kind) => {
  const open = async () => {
    const database = await postgres.database(`restarted${++databases}`);
    const engine = kind === "redis" ? redis.url : "-";
    const file = join(folder, `${databases}`);
    return { database, engine, file, place: fleetPlace(database, engine, 30_000) };
  };

  /** What the next host gets when it makes the call again. */
  const again = async (place: FleetPlace, file: string, ms: number) => {
    const host = await fleetHost(place, { limits: { timeoutMs: 600_000 } });
    onTestFinished(async () => void (await host.close({ graceMs: 1 })));
    const call = { id: "call-1", name: "effect", arguments: { file, ms } };
    return host.call(call, { sessionId: "session-1" });
  };

  test("leaves a result that the next host finds, and the tool ran once", async () => {
    const { place, file, ...where } = await open();
    await using _ = await worker(place);
    const first = startHost({ ...where, file, ms: "0" });
    const [line] = await first.outcome;
    await first.kill();

    const { status, result } = await again(place, file, 0);

    const [runId, ...end] = line.split(" ");
    expect(end).toEqual(["ok", "-"]);
    expect({ status, data: result.data }).toMatchObject({ status: "ok", data: { runId } });
    expect(readFileSync(file, "utf8")).toBe(`${runId}\n`);
  });

  test("leaves a call that runs, whose end the next host waits for", async () => {
    const { place, file, ...where } = await open();
    await using _ = await worker(place);
    const first = startHost({ ...where, file, ms: "8000" });
    await callsRun(where.database);
    await first.kill();

    const { status, result } = await again(place, file, 8_000);

    const [runId] = readFileSync(file, "utf8").split("\n");
    expect({ status, data: result.data }).toMatchObject({ status: "ok", data: { runId } });
    expect(readFileSync(file, "utf8")).toBe(`${runId}\n`);
  });
});

/** Waits until a worker has a call. */
async function callsRun(database: string): Promise<void> {
  const ledger = await openLedger(database);
  while ((await ledger.depth("main")).running === 0) await setTimeout(20);
  await ledger.close();
}
