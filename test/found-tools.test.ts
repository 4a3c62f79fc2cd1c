import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { ToolInfo } from "@toolmount/core";
import { createToolIndex } from "@toolmount/tool-discovery";
import { expect, test } from "vitest";
import { foundByHalf, infoOf, sampleTools, serverTools, shareOf } from "./support/foreign-tools.ts";
import { mountAll, readToolPackages } from "./support/shipped-tools.ts";

const path = join(import.meta.dirname, "../bench/tool-search-queries.json");
const queries = JSON.parse(readFileSync(path, "utf8")) as readonly [
  query: string,
  right: readonly string[],
][];

// The floors are a little below what docs/tool-search.md shows.
const own = (await mountAll(await readToolPackages())).tools().filter(({ alwaysOffered }) => !alwaysOffered);
const samples = sampleTools().map((tool) => infoOf({ ...tool, server: "host" }, tool.name));
const servers = serverTools();

test("of the tasks for the tools of this repository, 93 % have a right one among the first five", () => {
  expect(shareFound(own)).toBeGreaterThan(0.93);
});

test.skipIf(samples.length === 0)(
  "the same holds with 74 tools of others beside them (skipped without the shared data)",
  () => {
    expect(shareFound([...own, ...samples])).toBeGreaterThan(0.93);
  },
);

test.skipIf(servers === undefined)(
  "of the tasks of LiveMCPBench, 78 % of the tools are found (skipped without the shared data)",
  () => {
    const [lookedAt, not] = foundByHalf(servers!, createToolIndex);

    expect(shareOf(lookedAt!)).toBeGreaterThan(0.74);
    expect(shareOf(not!)).toBeGreaterThan(0.79);
    expect(shareOf([...lookedAt!, ...not!])).toBeGreaterThanOrEqual(0.78);
  },
);

function shareFound(tools: readonly ToolInfo[]): number {
  const names = new Set(tools.map(({ name }) => name));
  const index = createToolIndex(tools);
  const asked = queries.filter(([, right]) => right.some((name) => names.has(name)));
  return shareOf(
    asked.map(([query, right]) => index.search(query, 5).some(({ name }) => right.includes(name))),
  );
}
