import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { families, rows } from "../src/rows.ts";
import { plantedFaults } from "./planted/faults.ts";
import { reproductions, reproductionsFolder } from "./support/reproductions.ts";
import { adapterOf, hostsOf, hostTrial, planted, type HostResults } from "./support/run.ts";

const page = join(import.meta.dirname, "../README.md");
const hosts = [
  "toolmount",
  "ai-sdk",
  "openai-agents",
  "langgraph",
  "langgraph-interrupt",
  "mastra",
  "strands",
  "tanstack",
];

const comparison = join(import.meta.dirname, "../../../docs/reference/comparison.md");

test("the tables of the README and the comparison are what the hosts do: TOOLMOUNT_WRITE=1 writes them", async () => {
  const reports = await inPairs(hosts, async (host) => {
    const [report] = hostsOf(await hostTrial(["--host", adapterOf(host), "--json"]));
    return { ...report!, adapter: host };
  });

  await expectMade(page, tableOf(reports));
  await expectMade(comparison, familiesOf(reports));
  expect(reports.flatMap(unexplained), "broken cells without a reproduction").toEqual([]);
  expect(reports[0]!.results.filter(({ verdict }) => verdict !== "held")).toEqual([]);
});

/** Expects this between the two marks of a page. */
async function expectMade(file: string, made: string): Promise<void> {
  const text = await readFile(file, "utf8");
  const [before = "", rest = ""] = text.split(/(?<=<!-- made by hosts\.load\.test\.ts -->\n)/);
  const whole = `${before}\n${made}\n\n${rest.slice(rest.indexOf("<!-- end -->"))}`;
  if (process.env["TOOLMOUNT_WRITE"] === "1") await writeFile(file, whole);

  expect(plain(await readFile(file, "utf8"))).toBe(plain(whole));
}

test.each(reproductions)(
  "$name shows without this package what the table says",
  async ({ name, printed }) => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(reproductionsFolder, name)]);

    expect(stdout).toBe(printed);
  },
);

describe("a planted fault is caught by its own row, and by no other", () => {
  const pairs = plantedFaults.flatMap((_, at) => (at % 2 === 0 ? [plantedFaults.slice(at, at + 2)] : []));
  test.each(pairs.map((pair) => [pair.join(" and "), pair] as const))("%s", async (_title, pair) => {
    const broken = await inPairs(pair, async (fault) => {
      const [host] = hostsOf(await hostTrial(["--host", planted, "--json"], fault));
      return host!.results.filter(({ verdict }) => verdict === "broken").map(({ row }) => row);
    });

    expect(broken).toEqual(pair.map((fault) => [fault]));
  });
});

/** Does something for each, two at the same time: a trial mostly starts processes, and waits. */
async function inPairs<Item, Value>(
  items: readonly Item[],
  act: (item: Item) => Promise<Value>,
): Promise<Value[]> {
  const done: Value[] = [];
  for (let at = 0; at < items.length; at += 2)
    done.push(...(await Promise.all(items.slice(at, at + 2).map(act))));
  return done;
}

interface HostReport extends HostResults {
  readonly adapter: string;
}

function tableOf(reports: readonly HostReport[]): string {
  const head = ["", "row", "what has to hold", ...reports.map(({ host }) => host)];
  const body = rows.map(({ name, holds, thread }, at) => {
    const seen =
      thread === undefined ? "" : ` [${thread}](https://github.com/${thread.replace("#", "/issues/")})`;
    return [String(at + 1), `\`${name}\``, `${holds}${seen}`, ...reports.map((report) => cellOf(report, at))];
  });
  const links = reproductions.map(({ name }, at) => `[${at + 1}]: reproductions/${name}`);
  return [...linesOf(head, body), "", ...links, "", versionsOf(reports)].join("\n");
}

function cellOf({ adapter, results }: HostReport, at: number): string {
  const { row, verdict, again = 0 } = results[at]!;
  if (verdict !== "broken") return verdict === "held" ? "✔" : "–";
  const shown = reproductions.findIndex((one) => one.hosts.includes(adapter) && one.rows.includes(row)) + 1;
  return `${shown === 0 ? "✖" : `[✖][${shown}]`}${again === 4 ? "" : " (at times)"}`;
}

function unexplained({ adapter, results }: HostReport): string[] {
  const isShown = (row: string) =>
    reproductions.some((one) => one.hosts.includes(adapter) && one.rows.includes(row));
  return results.flatMap(({ row, verdict }) =>
    verdict === "broken" && !isShown(row) ? [`${adapter} ${row}`] : [],
  );
}

function versionsOf(reports: readonly HostReport[]): string {
  const versions = reports.map(({ host, version }) => `${host} ${version}`).join(", ");
  const loads = reports.map(({ load }) => load);
  return `${versions}.\nOn Node ${process.versions.node}, ${availableParallelism()} processors, with ${Math.min(...loads)} to ${Math.max(...loads)} processes that wanted one.`;
}

/** How many rows of each family a host held, of those that it could be tried in. */
function familiesOf(reports: readonly HostReport[]): string {
  const head = ["", ...reports.map(({ host }) => host)];
  const body = Object.entries(families).map(([family, own]) => [
    family,
    ...reports.map(({ results }) => {
      const names = own.map(({ name }) => name);
      const tried = results.filter(({ row, verdict }) => names.includes(row) && verdict !== "–");
      const held = tried.filter(({ verdict }) => verdict === "held").length;
      return tried.length === 0 ? "–" : `${held} of ${tried.length}`;
    }),
  ]);
  return linesOf(head, body).join("\n");
}

function linesOf(head: readonly string[], body: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`);
}

/** Without the blanks by which a formatter aligns a table, and without the machine's line. */
function plain(text: string): string {
  return text
    .replaceAll(/ +\|/g, " |")
    .replaceAll(/-+ \|/g, "--- |")
    .replaceAll(/^On Node .+$/gm, "");
}
