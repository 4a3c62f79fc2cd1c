import { AxeBuilder } from "@axe-core/playwright";
import { createMemoryStore, data, defineTool, type StateStore, type ToolContext } from "@toolmount/core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startBrowser } from "./support/browser.ts";
import { item, live, openPage, pane } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const source = `price 1 2 3 4 5

price -1
order 150
price 6
`;

/** A language of one word: each line calls a tool, side by side for each number. */
async function runLines({ source: text }: { readonly source: string }, context: ToolContext) {
  for (const [at, code] of text.split("\n").entries()) {
    const [name = "", ...numbers] = code.split(" ");
    const call = (n: string) =>
      context.call({ name, arguments: { n: Number(n), token: "sk-secret" }, place: { line: at + 1, code } });
    if (name !== "") await Promise.all(numbers.map(call));
  }
  return data("done");
}

function world(store: StateStore) {
  const { host } = createWorld({ store });
  const common = { consequenceLevel: "low", requiresConfirmation: false } as const;
  const schema = z.strictObject({ n: z.int().positive(), token: z.string() });
  const price = defineTool({
    ...common,
    name: "price",
    description: "Reads a price. Use in tests.",
    category: "read",
    schema,
    execute: ({ n }) => data(n * 10),
  });
  const order = defineTool({
    ...common,
    name: "order",
    description: "Orders. Use in tests.",
    question: "Order for {n}",
    category: "side_effect",
    requiresConfirmation: true,
    schema,
    execute: ({ n }) => data({ ordered: n }),
  });
  const run = defineTool({
    ...common,
    name: "run_lines",
    description: "Runs lines. Use in tests.",
    category: "side_effect",
    repeatable: true,
    tags: ["programs"],
    schema: z.strictObject({ source: z.string() }),
    execute: runLines,
  });
  for (const tool of [price, order, run]) host.coordinator.mount("tools", tool);
  return host;
}

const line = (page: Page, text: string) =>
  page.getByRole("region", { name: "Program" }).locator("ol > li").filter({ hasText: text });

/** Fails for what a person with a screen reader, or with little sight, could not use. */
async function expectUsable(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
}

test("a question shows the program that asks, and a call its program when it has ended, also after a restart", async () => {
  const store = createMemoryStore({ audit: "durable" });
  const first = world(store);
  const { server, tokens, ask } = await serve(first);
  const api = "/api/v1/hosts/default";
  const body = { tool: "run_lines", arguments: { source }, sessionId: "s" };
  const waits = (await ask("POST", `${api}/calls`, { body })).body;
  expect(waits["status"]).toBe("pending");

  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await item(page, "Order for 150").click();
  const now = page.getByRole("region", { name: "Program" }).locator("[aria-current=step]");
  await now.getByText("it waits here").waitFor();
  expect(await now.innerText()).toMatch(/^4\s+order 150/);
  expect(await now.innerText()).toContain("this question");
  expect(await page.getByRole("region", { name: "Program" }).innerText()).not.toContain("sk-secret");
  await line(page, "price -1").getByText("INVALID_ARGUMENTS").waitFor();
  const folded = line(page, "price 1 2").getByText("5 calls of price");
  await folded.focus();
  await page.keyboard.press("Enter");
  const made = line(page, "price 1 2").getByRole("link", { name: "price" });
  expect(await made.count()).toBe(5);
  await expectUsable(page);

  await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  await page.keyboard.press("a");
  await page.keyboard.press("Enter");
  await pane(page).getByText("approved by you").waitFor();
  await ask("POST", `${api}/resume`, { body: { ticket: waits["ticket"], sessionId: "s" } });
  await page
    .getByRole("region", { name: "Program" })
    .getByRole("link", { name: "Whole call" })
    .press("Enter");
  await line(page, "order 150").getByText("ok", { exact: true }).waitFor();
  expect(await now.count()).toBe(0);
  expect(problems).toEqual([]);

  const again = await serve(world(store));
  const phone = { width: 390, height: 844, scheme: "dark" } as const;
  const late = await openPage(browser, again.server.url, again.tokens.operator, phone);
  await late.page.goto(`${again.server.url}/#/calls/${String(waits["runId"])}`);
  await line(late.page, "order 150").getByText("ok", { exact: true }).waitFor();
  await line(late.page, "price 1 2").getByText("5 calls of price").waitFor();
  const room = await late.page.locator("html").evaluate((html) => html.scrollWidth - html.clientWidth);
  expect(room, "nothing is wider than the phone").toBeLessThanOrEqual(0);
  await expectUsable(late.page);
  expect(late.problems).toEqual([]);
});

test("the program of a call is read by those who may see the call, and other calls have none", async () => {
  const { ask } = await serve(world(createMemoryStore({ audit: "durable" })));
  const api = "/api/v1/hosts/default/calls";
  const call = async (tool: string, given: object, as: "ana" | "caller") =>
    String((await ask("POST", api, { as, body: { tool, arguments: given } })).body["runId"]);
  const program = await call("run_lines", { source: "" }, "caller");
  const price = await call("price", { n: 1 }, "caller");

  expect((await ask("GET", `${api}/${program}/program`)).body).toEqual({
    lines: [{ line: 1, code: "", isNow: false, calls: [] }],
    isCut: false,
    hasMore: false,
    omitsReads: false,
  });
  expect((await ask("GET", `${api}/${price}/program`)).status).toBe(404);
  expect((await ask("GET", `${api}/none/program`)).status).toBe(404);
  expect((await ask("GET", `${api}/${program}/program`, { as: "ana" })).status).toBe(404);
});
