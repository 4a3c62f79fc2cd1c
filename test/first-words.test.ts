import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const read = (path: string) => readFileSync(join(import.meta.dirname, "..", path), "utf8");

/** The words of this product, and how a page has each. The first ten are those that the guide says in one sentence each. */
const words: Readonly<Record<string, RegExp>> = {
  plan: /\bplans?\b/i,
  tool: /\btools?\b/i,
  rule: /\brules?\b|\bpolicy\b/i,
  call: /\bcall(?:s|ed)?\b/i,
  question: /\bquestions?\b|\basks?\b/i,
  change: /\bchanges?\b/i,
  session: /\bsessions?\b/i,
  border: /\bborders?\b/i,
  record: /\brecord(?:s|ed)?\b|\baudit/i,
  lock: /\block(?:s|ed)?\b/i,
  module: /\bmodules?\b/i,
  entry: /\bentr(?:y|ies)\b/i,
  schema: /\bschemas?\b/i,
  category: /\bcategor(?:y|ies)\b/i,
  consequence: /\bconsequence/i,
  confirmation: /confirmation/i,
  result: /\b(?:data|failure)\(/,
  outcome: /\boutcomes?\b/i,
  usage: /\busage\b/i,
  host: /\bhosts?\b/i,
  store: /\bstores?\b/i,
  approver: /\bapprovers?\b/i,
  pending: /\bpending\b/i,
  ticket: /\btickets?\b/i,
  resume: /\bresumes?\b/i,
  drift: /\bdrift/i,
  layer: /\blayers?\b|\boverlays?\b/i,
  prefix: /\bprefix/i,
  coordinator: /\bcoordinators?\b/i,
  hook: /\bhooks?\b|\bgates?\b|\bobservers?\b/i,
  mode: /\bmodes?\b/i,
  signal: /\babortSignal\b/,
  manifest: /\bmanifests?\b/i,
  limits: /\blimits?\b/i,
  MCP: /\bMCP\b/,
};

const namesIn = (text: string) => Object.keys(words).filter((name) => words[name]!.test(text));

test("a reader meets at most ten words of this product before the first own tool under a rule", () => {
  const [readme, page] = [read("README.md"), read("docs/first-tool.md")];
  const door = readme.indexOf("](docs/first-tool.md)");
  const rule = page.indexOf("policy:");
  expect(Math.min(door, rule)).toBeGreaterThan(500);

  const met = namesIn(readme.slice(0, door) + page.slice(0, rule));
  expect(met.length, met.join(", ")).toBeLessThanOrEqual(10);
  // The words are those of the pages: the rest of them has most.
  expect(namesIn(readme + page).length).toBeGreaterThan(25);
});

test("a page says each of ten words in one sentence", () => {
  const said = [...read("docs/getting-started.md").matchAll(/^- \*\*(\w+)\*\*: ([^.]+)\.$/gm)];

  expect(said.map(([, name = ""]) => name.toLowerCase())).toEqual(Object.keys(words).slice(0, 10));
});
