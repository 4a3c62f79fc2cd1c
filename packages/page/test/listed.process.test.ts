import { AxeBuilder } from "@axe-core/playwright";
import { data, defineTool, type Host } from "@toolmount/core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startBrowser } from "./support/browser.ts";
import { item, live, openPage, pane } from "./support/page.ts";
import { createWorld, serve, type Ask } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** Mounts a tool that pays, and says before what it would change. Returns whom it paid. */
function mountPay(host: Host): string[] {
  const paid: string[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays. Use in tests.",
    question: "Pay {to} {amount:2}",
    schema: z.strictObject({ to: z.string(), amount: z.number().positive() }),
    category: "side_effect",
    consequenceLevel: "high",
    requiresConfirmation: true,
    irreversible: true,
    preview: ({ to, amount }) => ({
      effects: [
        {
          target: `account of ${to}`,
          change: "change" as const,
          difference: `-balance 0\n+balance ${amount}`,
          cost: { amount, currency: "EUR" },
        },
      ],
      result: data("paid"),
    }),
    execute: ({ to }) => {
      paid.push(to);
      return data("paid");
    },
  });
  host.coordinator.mount("tools", pay);
  return paid;
}

const pay = (to: string, amount: number) => ({ tool: "pay", arguments: { to, amount } });

/** Rehearses calls and asks for the list. Returns what makes the calls after the answer. */
async function askForList(ask: Ask, calls: readonly object[]) {
  const body = { sessionId: "s", calls, ask: true };
  const rehearsed = await ask("POST", "/api/v1/hosts/default/rehearsals", { as: "caller", body });
  const { made } = rehearsed.body as unknown as { made: { status: string; ticket: string } };
  expect(made.status).toBe("pending");
  return () =>
    ask("POST", "/api/v1/hosts/default/resume", {
      as: "caller",
      body: { ticket: made.ticket, sessionId: "s" },
    });
}

const call = (page: Page, text: string) =>
  pane(page)
    .getByRole("region", { name: "Calls of the list" })
    .getByRole("listitem")
    .filter({ hasText: text });

test("a list shows what each call would change, is cut, and exactly the rest of it runs", async () => {
  const { host, started } = createWorld();
  const paid = mountPay(host);
  const { server, tokens, ask } = await serve(host);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const wipe = { tool: "wipe", arguments: { text: "disk" } };
  const resume = await askForList(ask, [pay("ACME", 1299), pay("Rent", 700), wipe]);
  await pane(page)
    .getByRole("heading", { name: "Make 3 calls, in this order: Pay ACME 1,299.00 …" })
    .waitFor();

  const summary = pane(page).getByRole("status").first();
  expect(await summary.innerText()).toBe(
    "2 to change · 1,999 EUR in all · of 1 it is not known what would change · 3 of 3 cannot be undone, or the tool has no undo",
  );
  const first = call(page, "Pay ACME 1,299.00");
  expect(await first.getByLabel("Difference of account of ACME").innerText()).toBe(
    "-balance 0\n+balance 1299",
  );
  await first.getByText("cannot be undone").waitFor();
  await first.getByText('Asks because "pay" asks for confirmation').waitFor();
  await call(page, "Wipe disk").getByText("What it would change is not known").waitFor();
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes[0]?.html])).toEqual([]);
  expect(
    await pane(page)
      .getByRole("button", { name: /Edit|Always/ })
      .count(),
  ).toBe(0);
  expect(await page.getByRole("checkbox", { name: /^Mark/ }).count()).toBe(0);

  await first.getByRole("button", { name: "Only up to here" }).press("Enter");
  await call(page, "Pay Rent").getByText("It is left out").waitFor();
  expect(await summary.innerText()).toMatch(/^The first 1 of 3: 1 to change · 1,299 EUR in all/);
  await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  await page.keyboard.press("a");
  expect(await host.approvals.list()).toHaveLength(1);
  await page.keyboard.press("Enter");
  await item(page, "Make 3 calls").getByText("approved by you, with other arguments").waitFor();
  await pane(page).getByText("Cut by operator: the first 1 of 3 calls.").waitFor();

  expect((await resume()).body).toMatchObject({ status: "ok" });
  expect([paid, started]).toEqual([["ACME"], []]);
  expect(problems).toEqual([]);
});

test("a list of a thousand calls with texts that mislead is shown whole, and approved whole", async () => {
  const { host } = createWorld();
  const paid = mountPay(host);
  const { server, tokens, ask } = await serve(host);
  const calls = Array.from({ length: 1_000 }, (_, at) => pay(at === 998 ? "A\u202eEMC" : `firm ${at}`, 1));
  const resume = await askForList(ask, calls);
  const phone = { width: 390, height: 844, scheme: "dark" } as const;
  const { page, problems } = await openPage(browser, server.url, tokens.operator, phone);
  await item(page, "Make 1000 calls").click();
  const listed = pane(page).getByRole("region", { name: "Calls of the list" }).getByRole("listitem");
  expect(await listed.count()).toBe(1_000);
  await call(page, String.raw`A\u202eEMC`)
    .getByText("hidden")
    .waitFor();
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);

  await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  await pane(page).getByRole("button", { name: "Approve 1000 calls" }).press("Enter");
  await pane(page).getByText("approved by you").waitFor();
  expect((await resume()).body).toMatchObject({ status: "ok" });
  expect(paid).toHaveLength(1_000);
  expect(problems).toEqual([]);
});

test("a list that another person answered in the middle of the reading is not approved again", async () => {
  const { host } = createWorld();
  const paid = mountPay(host);
  const { server, tokens, ask } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const resume = await askForList(ask, [pay("ACME", 1), pay("Rent", 2)]);
  await call(page, "Pay ACME").getByRole("button", { name: "Only up to here" }).press("Enter");
  const [question] = await host.approvals.list();
  await host.approvals.decide(question!.id, "deny", "ada");
  await pane(page).getByText("denied by ada").waitFor();
  expect(await pane(page).getByRole("button", { name: "Only up to here" }).count()).toBe(0);

  expect((await resume()).body).toMatchObject({ status: "denied" });
  expect(paid).toEqual([]);
});
