import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";

const folder = join(import.meta.dirname, "evals");

/** Runs the evaluations of the folder with the Vitest that vitest-evals needs. */
async function runEvals(): Promise<{ code: number; printed: string; report: Report }> {
  const place = await mkdtemp(join(tmpdir(), "toolmount-evals-"));
  onTestFinished(() => rm(place, { recursive: true, force: true }));
  const file = join(place, "report.json");
  const words = ["--reporter=vitest-evals/reporter", "--reporter=json", `--outputFile.json=${file}`];
  // The runner must not take itself for a part of the one that runs this test.
  const own = Object.entries(process.env).filter(([name]) => !/^(VITEST|TEST|NODE_ENV)/.test(name));
  const vitest = join(folder, "node_modules/vitest/vitest.mjs");
  const child = spawn(process.execPath, [vitest, "run", "--root", folder, ...words], {
    env: { ...Object.fromEntries(own), NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const closed = once(child, "close") as Promise<[number]>;
  const printed = await text(child.stdout);
  const [code] = await closed;
  return { code, printed, report: JSON.parse(await readFile(file, "utf8")) as Report };
}

/** The part of Vitest's report that is looked at. */
interface Report {
  readonly testResults: readonly { readonly assertionResults: readonly object[] }[];
}

test("vitest-evals itself runs prompts over a host, its judge sees the calls, and its report has them", async () => {
  const { code, printed, report } = await runEvals();

  expect(printed).toMatch(/✓ shop\.eval\.ts > shop > finds what is in an order \[446 tok \| 1 tool\]/);
  expect(printed).toMatch(/score +ToolCallJudge 1\.00/);
  expect(printed).toMatch(/× shop\.eval\.ts > shop > finds the orders of a customer/);
  expect(printed).toContain("Missing required tool: find_orders");
  // The recorded model chooses the wrong tool in one of the two evaluations.
  expect(code).toBe(1);
  const lamp = JSON.stringify({ id: "7", items: ["lamp"] });
  expect(report.testResults[0]!.assertionResults).toMatchObject([
    {
      status: "passed",
      meta: {
        eval: {
          avgScore: 1,
          output: "A lamp.",
          toolCalls: [{ name: "get_order", arguments: { id: "7" }, status: "ok", result: lamp }],
        },
        harness: {
          name: "shop",
          run: { usage: { inputTokens: 430, outputTokens: 16, totalTokens: 446, toolCalls: 1 }, errors: [] },
        },
      },
    },
    { status: "failed", meta: { eval: { avgScore: 0, toolCalls: [{ name: "get_order" }] } } },
  ]);
});
