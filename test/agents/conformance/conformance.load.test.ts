import { readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import {
  anthropicApi,
  chatApi,
  geminiApi,
  responsesApi,
  startProvider,
  type ProviderApi,
} from "@toolmount/testing/providers";
import { expect, test, vi } from "vitest";
import { cases, type Case } from "./cases.ts";
import { loops, type Loop } from "./loops.ts";

const apis = [responsesApi, chatApi, anthropicApi, geminiApi];
const page = join(import.meta.dirname, "../../../docs/reference/model-conformance.md");

/** `held` for a loop that holds in a case, or why it does not; null where it, or the case, does not have the API. */
async function judge(loop: Loop, api: ProviderApi, one: Case, isStreamed: boolean): Promise<string | null> {
  if (!loop.apis.includes(api.name) || one.apis?.includes(api.name) === false) return null;
  const server = await startProvider(api, one.replies);
  const ran: string[] = [];
  const answers: (string | null)[] = [];
  const problems: string[] = [];
  const ask = loop.open({ api, baseUrl: server.baseUrl, ran, isStreamed });
  for (let prompt = 1; prompt <= (one.prompts ?? 1); prompt++) {
    try {
      answers.push(await ask(`prompt ${prompt}`));
    } catch (error) {
      answers.push(null);
      problems.push(error instanceof Error ? error.message : String(error));
    }
  }
  await server.close();
  problems.push(...server.broken.map(({ rule }) => `broke the rule ${rule}`));
  const failed = answers.includes(null) && one.mayFail !== true;
  if (failed || server.broken.length > 0) return problems.join("; ");
  return one.holds === undefined || one.holds({ ran, answers, server })
    ? "held"
    : [...problems, `ran ${ran.join(", ") || "nothing"}`].join("; ");
}

test("toolmount's loop holds every case on every API; the page has what each loop held in this run", async () => {
  // Other libraries print what they could not do.
  vi.stubGlobal("AI_SDK_LOG_WARNINGS", false);
  for (const name of ["error", "warn", "log"] as const) vi.spyOn(console, name).mockImplementation(() => {});
  const rows = [];
  for (const loop of loops)
    for (const api of apis)
      for (const isStreamed of [false, true])
        rows.push(
          ...(await Promise.all(
            cases.map(async (one) => {
              const result = await judge(loop, api, one, isStreamed);
              return { loop, api, one, isStreamed, result };
            }),
          )),
        );
  const judged = rows.filter(({ result }) => result !== null);
  const ours = judged.filter(({ loop, result }) => loop.name === "toolmount" && result !== "held");
  if (process.env["TOOLMOUNT_WHY"] === "1")
    for (const { loop, api, one, isStreamed, result } of judged)
      if (result !== "held")
        process.stdout.write(
          `${loop.name} · ${api.name}${isStreamed ? ", streamed" : ""} · ${one.title}: ${result}\n`,
        );
  expect(
    ours.map(({ api, one, isStreamed, result }) => ({ api: api.name, case: one.title, isStreamed, result })),
  ).toEqual([]);

  const count = (of: (row: (typeof judged)[number]) => boolean) => {
    const all = judged.filter(of);
    return all.length === 0
      ? "–"
      : `${all.filter(({ result }) => result === "held").length} of ${all.length}`;
  };
  const byApi = (isStreamed: boolean) => [
    ["loop", ...apis.map(({ name }) => name), "together"],
    ...loops.map((loop) => [
      `${loop.name} ${versionOf(loop)}`,
      ...apis.map((api) =>
        count((row) => row.loop === loop && row.api === api && row.isStreamed === isStreamed),
      ),
      count((row) => row.loop === loop && row.isStreamed === isStreamed),
    ]),
  ];
  const byCase = [
    ["case", ...loops.map(({ name }) => name)],
    ...cases.map((one) => [
      one.title,
      ...loops.map((loop) => count((row) => row.loop === loop && row.one === one)),
    ]),
  ];
  const text = await readFile(page, "utf8");
  const tables = [
    ["by API", byApi(false)],
    ["by API, streamed", byApi(true)],
    ["by case", byCase],
  ] as const;
  const written = tables.reduce((before, [mark, table]) => withTable(before, mark, table), text);
  if (process.env["TOOLMOUNT_WRITE"] === "1") await writeFile(page, written);
  else expect(text).toBe(written);
});

function versionOf({ from }: Loop): string {
  if (from.startsWith("@toolmount/")) return "(this repository)";
  const require = createRequire(import.meta.url);
  for (let folder = dirname(require.resolve(from)); ; folder = dirname(folder)) {
    try {
      const { name, version } = require(join(folder, "package.json")) as { name?: string; version?: string };
      if (name === from) return version!;
    } catch {
      // The package's folder is further up.
    }
  }
}

/** The page with another table between its marks. */
function withTable(text: string, mark: string, [head, ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at]!)).join(" | ")} |`;
  const widths = head!.map((_, at) => Math.max(...[head!, ...rows].map((cells) => cells[at]!.length)));
  const table = [
    line(head!),
    `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`,
    ...rows.map(line),
  ];
  const pattern = new RegExp(`(<!-- ${mark} -->\n\n)[\\s\\S]*?(\n\n<!-- end -->)`);
  return text.replace(pattern, (_, begin: string, end: string) => begin + table.join("\n") + end);
}
