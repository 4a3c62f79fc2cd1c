import { openStore } from "@toolmount/store";
import { expect, test } from "vitest";
import { brokenDisks, faultsOf, runOnDisk, timeout } from "../packages/store/test/faulty-disk.ts";
import { finish, inFolder, serveModel, turnProgram, type TurnPlace } from "./support/interrupted-turn.ts";

/** What a turn asks of the disk that its journal is on. */
const calls = ["openat", "pwrite64", "fsync", "ftruncate", "unlink"];

test.each(brokenDisks)(
  "a turn over %s, at every step: its journal has what was stored, and each effect is there once or reported as unknown",
  timeout,
  async (name, disk) => {
    const baseUrl = await serveModel();
    const { file, env } = await turnProgram();
    const programOf = ({ database, effects }: TurnPlace) => ({
      words: ["--disable-warning=ExperimentalWarning", file, "run", database, baseUrl, effects],
      paths: ["", "-wal", "-journal", "-shm"].map((end) => `${database}${end}`),
      env,
    });
    const { whole, items } = await inFolder(async (place) => {
      const run = await runOnDisk(programOf(place), calls);
      return { whole: run, items: (await finish(place, baseUrl, null)).items };
    });
    expect(whole.code).toBe(0);

    const ends: string[] = [];
    let failed = 0;
    for (const fault of faultsOf(whole, disk, 3))
      await inFolder(async (place) => {
        const { code, stdout } = await runOnDisk(programOf(place), calls, fault);
        if (code !== 0) failed++;
        const stored = stdout.split("\n").filter((line) => line.startsWith("recorded "));
        const kinds = stored.flatMap((line) => line.slice("recorded ".length).split("+"));
        expect([fault, (await kindsIn(place.database)).slice(0, kinds.length)]).toEqual([fault, kinds]);
        ends.push((await finish(place, baseUrl, items, { mayFail: true })).end);
      });

    expect(failed).toBeGreaterThan(0);
    const counts = [...whole.asked].map(([call, count]) => `${count} ${call}`).join(", ");
    process.stdout.write(
      `${name}: ${counts}; ${failed} of ${ends.length} processes failed, ${ends.filter((end) => end === "failed").length} turns, the others ended\n`,
    );
  },
);

/** What the entries of the journal are. */
async function kindsIn(database: string): Promise<readonly string[]> {
  const store = await openStore(`sqlite:${database}`);
  const entries = await store.sessions.entries("s");
  await store.close();
  return entries.map(({ entry }) => (entry as { readonly kind: string }).kind);
}
