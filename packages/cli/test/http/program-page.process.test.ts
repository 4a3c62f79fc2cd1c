import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../../../page/test/support/browser.ts";
import { openPage, windows } from "../support/browser.ts";
import { startServer, writeTokens } from "../support/served.ts";
import { oneTool, root, workspace } from "../support/workspace.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const source = `interface Invoice { customer: string; amount: number }

const numbers = Array.from({ length: 100 }, (_, at) => at + 1);
const invoices: Invoice[] = await Promise.all(numbers.map((number) => tools.read_invoice({ number })));

// What each customer owes.
const owed = new Map<string, number>();
for (const { customer, amount } of invoices) owed.set(customer, (owed.get(customer) ?? 0) + amount);

for (const customer of ["acme", "initech", "globex"]) {
  try {
    await tools.remind({ customer });
  } catch (error) {
    console.log(customer, error.code);
  }
}
const paid = await tools.pay({ customer: "acme", amount: owed.get("acme") / 100 });
return { owed: [...owed], paid };
`;

const files = {
  "plan.yaml": `version: 1
name: office
tools:
  - module: ./read-invoice.ts
  - module: ./remind.ts
  - module: ./pay.ts
  - { module: program, source: "file:${join(root, "tools/program")}" }
state: sqlite:./state.db
audit: durable
`,
  "read-invoice.ts": oneTool({
    name: "read_invoice",
    schema: "number: z.int()",
    body: 'return data({ customer: params.number % 2 ? "globex" : "acme", amount: params.number });',
  }),
  "remind.ts": oneTool({
    name: "remind",
    schema: "customer: z.string()",
    body: 'return params.customer === "initech" ? failure("no such customer", { code: "NO_CUSTOMER" }) : data("reminded");',
  }),
  "pay.ts": oneTool({
    name: "pay",
    schema: "customer: z.string(), amount: z.number()",
    confirm: "true",
    body: "return data({ paid: params.amount });",
  }),
};

const program = (page: Page) => page.getByRole("region", { name: "Program" });
const line = (page: Page, code: string) => program(page).locator("ol > li").filter({ hasText: code });

test("the page shows a program while it waits and when it has ended, also in another process", async () => {
  const folder = await workspace(files);
  const tokens = await writeTokens();
  const first = await startServer(folder, tokens, ["plan.yaml"]);
  const call = { tool: "run_program", arguments: { source }, sessionId: "month-end", userId: "ana" };
  const waits = (await first.ask("POST", "/calls", call)).body;
  expect(waits["status"], JSON.stringify(waits)).toBe("pending");

  const page = await openPage(browser, first.url, tokens.ops);
  await page.getByRole("link").filter({ hasText: "pay" }).first().click();
  const now = program(page).locator("[aria-current=step]");
  await now.getByText("this question").waitFor();
  expect(await now.innerText()).toMatch(/^17\s+const paid = await tools\.pay/);
  await line(page, "const invoices").getByText("100 calls of read_invoice").waitFor();
  await line(page, "tools.remind").getByText("NO_CUSTOMER").waitFor();
  const phone = await openPage(browser, first.url, tokens.ops, windows[3]);
  await phone.getByRole("link").filter({ hasText: "pay" }).first().click();
  await expect.poll(() => showsLine(phone)).toBe(true);
  if (process.env["TOOLMOUNT_WRITE"] === "1") await takePictures(first.url, tokens.ops, "question");
  await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  await page.locator(".pane").getByRole("button", { name: "Approve once" }).press("Enter");
  await page.locator(".pane").getByText("approved by you").waitFor();
  first.child.kill("SIGTERM");
  await first.ended;

  const next = await startServer(folder, tokens, ["plan.yaml"]);
  const { ticket, runId } = waits as { ticket: string; runId: string };
  const done = await next.ask("POST", "/resume", { ticket, sessionId: "month-end", userId: "ana" });
  expect(done.body, JSON.stringify(done.body)).toMatchObject({
    status: "ok",
    result: { data: { result: { paid: { paid: 25.5 } }, calls: 104 } },
  });
  const later = await openPage(browser, next.url, tokens.ops);
  await later.goto(`${next.url}/#/calls/${runId}`);
  await line(later, "const paid").locator(".status.ok").waitFor();
  await line(later, "const invoices").getByText("100 calls of read_invoice").press("Enter");
  expect(await line(later, "const invoices").getByRole("link", { name: "read_invoice" }).count()).toBe(100);
  expect(await program(later).locator("[aria-current]").count()).toBe(0);
  if (process.env["TOOLMOUNT_WRITE"] === "1") await takePictures(next.url, tokens.ops, "call", runId);
});

/** Whether the line that waits is in the visible part of the source. */
function showsLine(page: Page): Promise<boolean> {
  return program(page)
    .locator(".program")
    .evaluate((box) => {
      const waits = box.querySelector("[aria-current]")!.getBoundingClientRect();
      const { top, bottom } = box.getBoundingClientRect();
      return waits.top >= top && waits.bottom <= bottom;
    });
}

/** Takes the pictures of a program, in the question that it asks or in its call. */
async function takePictures(url: string, token: string, view: string, runId?: string): Promise<void> {
  for (const window of windows) {
    const page = await openPage(browser, url, token, window);
    if (runId === undefined) await page.getByRole("link").filter({ hasText: "pay" }).first().click();
    else await page.goto(`${url}/#/calls/${runId}`);
    await line(page, "tools.remind").getByText("NO_CUSTOMER").waitFor();
    if (runId === undefined) await page.locator("[data-decides]:not([aria-disabled])").waitFor();
    await page.locator(".question, .drawer").evaluate((pane) => {
      const box = pane.querySelector("[aria-label=Program]")!;
      pane.scrollTop += box.getBoundingClientRect().top - pane.getBoundingClientRect().top - 60;
    });
    await page.screenshot({ path: join(root, `docs/pictures/page/program-${view}-${window.name}.png`) });
    await page.context().close();
  }
}
