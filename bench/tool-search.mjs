// What progressive disclosure saves, and whether tool_search finds the right tool: figures of docs/tool-search.md.
// Tools are all of this repository's, and 74 of others where they stand beside it (../shared/fixtures/tool-schemas).
// Run as `pnpm --filter @toolmount-workspace/bench tool-search`.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { data, silentLogger } from "@toolmount/core";
import { createToolIndex } from "../tools/discovery/src/tool-index.ts";
import { openHost } from "@toolmount/loader";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { foundByHalf, infoOf, sampleTools, serverTools, shareOf } from "../test/support/foreign-tools.ts";

const here = dirname(fileURLToPath(import.meta.url));

const others = sampleTools();
if (others.length === 0)
  console.log("the tools of others are not beside this repository: only own ones are measured");
const whole = await openWith("all");
const host = await openWith("progressive");
const mounted = new Set(host.tools().map(({ name }) => name));
const queries = JSON.parse(readFileSync(join(here, "tool-search-queries.json"), "utf8"))
  .map(([query, names]) => ({ query, names: names.filter((name) => mounted.has(name)) }))
  .filter(({ names }) => names.length > 0);

const before = tokensOf(await whole.offer());
const first = tokensOf(await host.session("first").offer());
const { ranks, mean } = await askAll();

console.log(
  `tools mounted                      ${mounted.size} (${mounted.size - others.length} own, ${others.length} of others)`,
);
console.log("tokens of one request (o200k)      definitions  guidance     total");
row("  every tool in full", before);
row("  before anything is activated", first);
row("  with the five found, mean", mean);
console.log(`saved at first                     ${percent(1 - first.total / before.total)}`);
console.log(`queries                            ${queries.length}`);
for (const at of [1, 3, 5, 10])
  console.log(`recall of a right tool at ${String(at).padEnd(2)}       ${percent(share(at))}`);
measureForeign();
const missed = queries.filter((_, index) => ranks[index] > 5).map(({ query }) => query);
console.log(`not among five                     ${missed.join(" · ") || "none"}`);
await Promise.all([host.close(), whole.close()]);

/** Asks for each query, activates what was found, and counts what is offered then. */
async function askAll() {
  const found = [];
  const offered = [];
  for (const [index, { query, names }] of queries.entries()) {
    const session = host.session(`s-${index}`);
    const { result } = await session.call({ name: "tool_search", arguments: { query, limit: 10 } });
    const listed = result.data.tools.map(({ name }) => name);
    const at = listed.findIndex((name) => names.includes(name));
    found.push(at < 0 ? Infinity : at + 1);
    const tool_ids = listed.slice(0, 5);
    if (tool_ids.length > 0) await session.call({ name: "activate_tools", arguments: { tool_ids } });
    offered.push(tokensOf(await session.offer()));
  }
  const meanOf = (part) => Math.round(offered.reduce((sum, one) => sum + one[part], 0) / offered.length);
  return {
    ranks: found,
    mean: { definitions: meanOf("definitions"), guidance: meanOf("guidance"), total: meanOf("total") },
  };
}

/** The set of other authors, and what a search costs among 10,000 tools. */
function measureForeign() {
  const servers = serverTools();
  if (servers === undefined) return console.log("the tasks of others are not beside this repository");
  const { tools, tasks } = servers;
  const halves = foundByHalf(servers, createToolIndex);
  const [lookedAt, not, all] = [...halves, halves.flat()].map((hits) => percent(shareOf(hits)));
  console.log(`527 tools of others, at 5           ${lookedAt} (looked at), ${not} (not), ${all} (all)`);
  const many = createToolIndex(
    Array.from({ length: 10_000 }, (_, at) => infoOf(tools[at % tools.length], `${at}`)),
  );
  const steps = tasks.flatMap((task) => task.steps);
  const begin = process.cpuUsage();
  for (const step of steps) many.search(step, 5);
  const { user, system } = process.cpuUsage(begin);
  console.log(
    `CPU time of a search, 10,000 tools  ${((user + system) / 1_000 / steps.length).toFixed(1)} ms`,
  );
}

function share(at) {
  return ranks.filter((rank) => rank <= at).length / ranks.length;
}

/** A definition as most providers take it, and the guidance for the system prompt. */
function tokensOf({ tools, guidance: text }) {
  const definitions = countTokens(
    JSON.stringify(
      tools.map(({ name, description, inputSchema }) => ({
        type: "function",
        name,
        description,
        parameters: inputSchema,
      })),
    ),
  );
  const guidance = countTokens(text);
  return { definitions, guidance, total: definitions + guidance };
}

/** All own tools, and those of others under the names that a plan's `prefix` would give them. */
async function openWith(disclosure) {
  const plan = {
    version: 1,
    name: "tool-search",
    tools: [
      ...["hello-world", "testing", "filesystem", "search", "todo", "bash", "web", "modes"].map((module) => ({
        module,
      })),
      { module: "discovery", config: { disclosure } },
    ],
    modes: { catalog: [{ key: "general", displayName: "General", isDefault: true }] },
  };
  const opened = await openHost(plan, { cwd: join(here, "../mount-plans"), logger: silentLogger });
  for (const { name, description, inputSchema } of others)
    opened.coordinator.mount("tools", {
      name,
      description,
      schema: asGiven(inputSchema),
      category: "read",
      consequenceLevel: "low",
      requiresConfirmation: false,
      execute: () => data(null),
    });
  return opened;
}

/** A schema that is shown as it is, and takes nothing: these tools are only looked for. */
function asGiven(schema) {
  const validate = () => ({ issues: [{ message: "it is not here to be called" }] });
  const jsonSchema = { input: () => schema, output: () => schema };
  return { "~standard": { version: 1, vendor: "sample", validate, jsonSchema } };
}

function row(title, { definitions, guidance, total }) {
  console.log(
    title.padEnd(35) + [definitions, guidance, total].map((count) => String(count).padStart(8)).join("   "),
  );
}

function percent(part) {
  return `${(part * 100).toFixed(1)} %`;
}
