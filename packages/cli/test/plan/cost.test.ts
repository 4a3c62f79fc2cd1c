import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

const note = oneTool({ name: "read_note", schema: "path: z.string()", body: "return data(params);" });
const wordy = oneTool({
  name: "find_note",
  schema: `words: z.string().describe("${"one of the words of the note ".repeat(20)}<|endoftext|>")`,
  body: "return data(params);",
});

async function plan(more = "") {
  return workspace({
    "mount-plan.yaml": `${planOf("./note.ts", "./wordy.ts")}${more}`,
    "note.ts": note,
    "wordy.ts": wordy,
  });
}

test("cost counts the tokens of each tool in each provider's form, and of the guidance", async () => {
  const { here: run } = await plan();
  const { code, json } = await run(["cost", "--json"]);
  const { tools, total, guidance, max } = json() as {
    tools: { name: string; tokens: Record<string, number> }[];
    total: Record<string, number>;
    guidance: number;
    max: unknown;
  };
  const [find, read] = tools;

  expect(code).toBe(0);
  expect([find?.name, read?.name, max]).toEqual(["find_note", "read_note", null]);
  expect(Object.keys(total)).toEqual(["openai", "chat", "anthropic", "gemini", "mcp"]);
  // The description alone is 20 times 7 tokens of o200k.
  expect(find!.tokens["openai"]).toBeGreaterThan(140);
  expect(find!.tokens["openai"]).toBeLessThan(240);
  for (const form of Object.keys(total))
    expect(total[form]).toBe(find!.tokens[form]! + read!.tokens[form]! + guidance);
});

test.each(["filesystem", "search", "bash", "web", "todo", "testing", "program"])(
  "the guidance of %s is at most a fifth of what a request costs",
  async (module) => {
    const { here: run } = await workspace({ "mount-plan.yaml": planOf(module) });
    const { guidance, total } = (await run(["cost", "--json"])).json() as {
      guidance: number;
      total: Readonly<Record<string, number>>;
    };

    expect(guidance).toBeGreaterThan(0);
    for (const of of Object.values(total)) expect(guidance / of).toBeLessThanOrEqual(0.2);
  },
);

test("cost fails above --max, and names the form", async () => {
  const { here: run } = await plan();
  const above = await run(["cost", "--max", "100"]);
  const allowed = await run(["cost", "--max", "5000"]);
  const one = await run(["cost", "--max", "100", "--format", "gemini", "--json"]);

  expect(above.code).toBe(1);
  expect(above.stdout).toMatch(/✖ anthropic: \d+ tokens, and 100 are allowed/);
  expect(above.stdout).toMatch(/find_note[\s\S]*read_note[\s\S]*each request/);
  expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringContaining("within the 5000 tokens")]);
  expect(one.json()).toMatchObject({ above: ["gemini"], max: 100 });
});

/** The entry of a module that runs programs, which alone call other tools. */
const alone = "  - { module: program, config: { alone_above: 0 } }\n";

test("with programs alone, cost counts what a request has, and what the tools in programs would cost", async () => {
  const { here: run } = await workspace({
    "mount-plan.yaml": planOf("./note.ts", "./wordy.ts") + alone,
    "note.ts": note,
    "wordy.ts": wordy,
  });
  const { json } = await run(["cost", "--json"]);
  const { tools, inPrograms } = json() as Record<"inPrograms", { tools: { name: string }[] }> & {
    tools: { name: string }[];
  };
  expect(tools.map(({ name }) => name)).toEqual(["describe_tools", "run_program"]);
  expect(inPrograms.tools.map(({ name }) => name)).toEqual(["find_note", "read_note"]);
  const saved = /2 more tools are called in programs only; their definitions would cost (\d+) tokens in each/;
  expect((await run(["cost"])).stdout).toMatch(saved);
});

test("with programs alone and prices, cost says what each request saves", async () => {
  const prices = "agent: { model: m, prices: { input: 2, output: 10, currency: EUR } }\n";
  const { here: run } = await workspace({
    "mount-plan.yaml": planOf("./note.ts", "./wordy.ts") + alone + prices,
    "note.ts": note,
    "wordy.ts": wordy,
  });
  const { saved } = (await run(["cost", "--json"])).json() as {
    saved: { tools: number; tokens: number; cost: { amount: number; currency: string } };
  };
  expect(saved.tools).toBe(2);
  expect(saved.cost).toEqual({ amount: (saved.tokens * 2) / 1_000_000, currency: "EUR" });
  expect((await run(["cost"])).stdout).toMatch(
    /tokens, 0\.000\d+ EUR without a cache, in each request of a turn/,
  );
});
