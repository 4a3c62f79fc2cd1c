import { availableParallelism, loadavg } from "node:os";
import type { Row } from "../row.ts";
import { HostProcess, type Launch } from "./host-process.ts";
import { Trial } from "./trial.ts";

/** The result of a row. `–` means that the host lacks an ability that the row needs. */
type Verdict = "held" | "broken" | "–";

export interface RowResult {
  readonly row: string;
  readonly verdict: Verdict;
  /** How the promise was broken. */
  readonly problem?: string;
  /** For a broken row, how many of the further tries broke it again. */
  readonly again?: number;
}

export interface HostReport {
  readonly host: string;
  readonly version: string;
  readonly results: readonly RowResult[];
  /** The machine's load average when the host was tried, in processes. */
  readonly load: number;
}

/** The machine on which the hosts were tried. */
interface Machine {
  readonly node: string;
  readonly system: string;
  readonly processors: number;
}

export function machine(): Machine {
  const { arch, platform, version } = process;
  return { node: version, system: `${platform} ${arch}`, processors: availableParallelism() };
}

/** How often a broken row is tried again. */
const repeats = 4;

/** Tries rows on a host one after another, each in new processes and a new folder. */
export async function judgeHost(
  launch: Launch,
  rows: readonly Row[],
  onRow: (result: RowResult) => void,
): Promise<HostReport> {
  const process = await HostProcess.launch(launch);
  const facts = await process.facts().finally(() => process.kill());
  const results: RowResult[] = [];
  for (const row of rows) {
    const isAble = (row.needs ?? []).every((need) => facts.can.includes(need));
    const result = isAble ? await judgeRow(launch, row) : ({ row: row.name, verdict: "–" } as const);
    results.push(result);
    onRow(result);
  }
  return { host: facts.name, version: facts.version, results, load: Math.round(loadavg()[0]!) };
}

async function judgeRow(launch: Launch, row: Row): Promise<RowResult> {
  const problem = await tryRow(launch, row);
  if (problem === null) return { row: row.name, verdict: "held" };
  let again = 0;
  for (let at = 0; at < repeats; at += 1) again += (await tryRow(launch, row)) === null ? 0 : 1;
  return { row: row.name, verdict: "broken", problem, again };
}

/** Tries a row. Returns null if it held, otherwise how it was broken. A host that dies or hangs breaks the row. */
async function tryRow(launch: Launch, row: Row): Promise<string | null> {
  const trial = await Trial.open(launch);
  try {
    await row.run(trial);
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message || thrown.constructor.name : String(thrown);
  } finally {
    await trial.close();
  }
}
