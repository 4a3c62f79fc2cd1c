import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createHost, data, defineTool, type Host, type HostOptions } from "@toolmount/core";
import { createRedactor } from "@toolmount/core/text";
import {
  createReplay,
  parseTape,
  printTapeCall,
  recordCalls,
  tapeHeader,
  type TapeCall,
} from "@toolmount/tape";
import { config, mount } from "@toolmount/tool-program";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { fleetHost, worker } from "../../packages/workers/test/fleet/fleet-world.ts";
import { sharedPostgres } from "../../packages/workers/test/fleet/servers.ts";

/** A host with programs and a tool that reads a price. */
async function shop(did: string[], options: HostOptions = {}): Promise<Host> {
  const host = createHost(options);
  onTestFinished(() => void host.close({ graceMs: 1 }));
  host.coordinator.mount(
    "tools",
    defineTool({
      name: "price",
      description: "Reads a price. Use in tests.",
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      schema: z.strictObject({ n: z.int() }),
      execute: ({ n }) => (did.push(`price ${n}`), data(n * 10)),
    }),
  );
  await mount(host.coordinator, config.parse({}));
  return host;
}

const source = `
const prices = await Promise.all([1, 2, 3].map((n) => tools.price({ n })));
return prices.reduce((all, one) => all + one, 0);
`;

const runProgram = (host: Host, text = source) =>
  host.call({ name: "run_program", arguments: { source: text } }, { sessionId: "s" });

test("a tape has a program and its calls; a replay answers it without running a tool, and names another program", async () => {
  const did: string[] = [];
  const calls: TapeCall[] = [];
  const host = await shop(did);
  recordCalls(host, { redact: createRedactor(), write: (call) => calls.push(call) });
  expect((await runProgram(host)).result.data).toEqual({ result: 60, calls: 3 });
  expect(calls.map(({ tool, nested }) => [tool, nested])).toEqual([
    ...[1, 2, 3].map(() => ["price", true]),
    ["run_program", undefined],
  ]);

  const tape = parseTape([tapeHeader, ...calls.map(printTapeCall), ""].join("\n"));
  const again: string[] = [];
  const replay = createReplay(tape);
  const other = await shop(again, { runner: replay.runner });
  replay.watch(other);
  expect((await runProgram(other)).result.data).toEqual({ result: 60, calls: 3 });
  expect(again).toEqual([]);
  expect(replay.finish()).toEqual([]);

  const changed = createReplay(tape);
  const third = await shop(again, { runner: changed.runner });
  changed.watch(third);
  expect((await runProgram(third, source.replace("[1, 2, 3]", "[1, 2]"))).status).toBe("failed");
  expect(again).toEqual([]);
  expect(changed.finish().join("\n")).toContain("run_program");
});

test("the calls of a program run on a fleet, by several workers, each once", async () => {
  const postgres = await sharedPostgres();
  onTestFinished(() => postgres.stop());
  const folder = mkdtempSync(join(tmpdir(), "toolmount-program-fleet-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const place = { database: await postgres.database("programs"), module: "../modules/fleet-tools.ts" };
  const host = await fleetHost(place);
  onTestFinished(() => void host.close({ graceMs: 1 }));
  await mount(host.coordinator, config.parse({}));
  const workers = await Promise.all([worker(place), worker(place)]);
  onTestFinished(async () => void (await Promise.all(workers.map((one) => one[Symbol.asyncDispose]()))));

  const file = join(folder, "effects");
  const { status, result } = await runProgram(
    host,
    `const all = await Promise.all(Array.from({ length: 12 }, () => tools.effect({ file: ${JSON.stringify(file)} })));
     return all.map(({ runId }) => runId);`,
  );
  expect(status).toBe("ok");
  const { result: runs } = result.data as { result: string[] };
  const lines = readFileSync(file, "utf8").trim().split("\n");
  expect(runs).toHaveLength(12);
  expect(lines.toSorted()).toEqual(runs.toSorted());
  expect(new Set(lines).size).toBe(12);
});
