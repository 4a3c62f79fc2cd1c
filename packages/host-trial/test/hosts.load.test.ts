import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { rows } from "../src/rows.ts";
import { plantedFaults } from "./planted.ts";
import { adapterOf, hostsOf, hostTrial, planted, type HostResults } from "./support/run.ts";

const page = join(import.meta.dirname, "../README.md");
const hosts = ["toolmount", "ai-sdk", "openai-agents", "langgraph", "langgraph-interrupt", "mastra"];

test("the table of the README is what the hosts do: TOOLMOUNT_WRITE=1 writes it again", async () => {
  const words = hosts.flatMap((host) => ["--host", adapterOf(host)]);
  const reports = hostsOf(await hostTrial([...words, "--json"]));
  const table = tableOf(reports);
  const text = await readFile(page, "utf8");
  const [before = "", rest = ""] = text.split(/(?<=<!-- made by hosts\.load\.test\.ts -->\n)/);
  const whole = `${before}\n${table}\n${rest.slice(rest.indexOf("<!-- end -->"))}`;
  if (process.env["TOOLMOUNT_WRITE"] === "1") await writeFile(page, whole);

  expect(plain(await readFile(page, "utf8"))).toBe(plain(whole));
  expect(reports[0]!.results.filter(({ verdict }) => verdict !== "held")).toEqual([]);
});

test.each([
  ["ai-sdk-approval-again", "paid\npaid\n"],
  ["langgraph-mixed-decisions", "Done.\n"],
])("the reproduction %s shows without this package what the table says", async (name, printed) => {
  const file = join(import.meta.dirname, "../reproductions", `${name}.mjs`);
  const { stdout } = await promisify(execFile)(process.execPath, [file]);

  expect(stdout).toBe(printed);
});

describe("a planted fault is caught by its own row, and by no other", () => {
  test.each(plantedFaults)("%s", async (fault) => {
    const [host] = hostsOf(await hostTrial(["--host", planted, "--json"], fault));
    const broken = host!.results.filter(({ verdict }) => verdict === "broken");

    expect(broken.map(({ row }) => row)).toEqual([fault]);
  });
});

function tableOf(reports: readonly HostResults[]): string {
  const head = ["", "row", "what has to hold", ...reports.map(({ host, version }) => `${host} ${version}`)];
  const body = rows.map(({ name, holds, thread }, at) => {
    const seen =
      thread === undefined ? "" : ` [${thread}](https://github.com/${thread.replace("#", "/issues/")})`;
    return [
      String(at + 1),
      `\`${name}\``,
      `${holds}${seen}`,
      ...reports.map(({ results }) => cellOf(results[at]!)),
    ];
  });
  return [head, head.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function cellOf({ verdict, again = 0 }: HostResults["results"][number]): string {
  if (verdict !== "broken") return verdict === "held" ? "✔" : "–";
  return again === 4 ? "✖" : "✖ (at times)";
}

/** Without the blanks by which a formatter aligns a table. */
function plain(text: string): string {
  return text.replaceAll(/ +\|/g, " |").replaceAll(/-+ \|/g, "--- |");
}
