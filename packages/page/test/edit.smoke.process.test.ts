import { data, defineTool, type Host } from "@toolmount/core";
import type { Browser } from "playwright-core";
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

/** Mounts a tool that pays and asks a person first. Returns what it paid. */
function mountPay(host: Host): unknown[] {
  const paid: unknown[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays. Use in tests.",
    question: "Pay {to} {amount:2}",
    schema: z.strictObject({
      to: z.string(),
      amount: z.number().positive(),
      lines: z.array(z.string()).default([]),
    }),
    category: "side_effect",
    consequenceLevel: "high",
    requiresConfirmation: true,
    execute: (params) => {
      paid.push(params);
      return data("paid");
    },
  });
  host.coordinator.mount("tools", pay);
  return paid;
}

test("a person changes an argument and approves: the call runs with it, and the page says what was changed", async () => {
  const { host } = createWorld();
  const paid = mountPay(host);
  const { server, tokens, ask } = await serve(host);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const body = { tool: "pay", arguments: { to: "ACME", amount: 1299 }, sessionId: "s", waitMs: 60_000 };
  const answer = ask("POST", "/api/v1/hosts/default/calls", { as: "caller", body });
  await pane(page).getByRole("heading", { name: "Pay ACME 1,299.00" }).waitFor();

  await page.keyboard.press("e");
  const form = pane(page).getByRole("form", { name: "Arguments of pay" });
  await form.getByLabel("amount").fill("99");
  await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  await form.getByRole("button", { name: "Approve with these arguments" }).press("Enter");

  await item(page, "Pay ACME").getByText("approved by you, with other arguments").waitFor();
  const change = pane(page).getByRole("region", { name: "Changed by the approver" });
  expect(await change.getByLabel("Difference", { exact: true }).innerText()).toMatch(
    /-\s+"amount": 1299,?\n\+\s+"amount": 99,?/,
  );
  expect((await answer).body).toMatchObject({
    status: "ok",
    result: { warnings: ["the approver changed the arguments before the call ran: amount is 99"] },
  });
  expect(paid).toEqual([{ to: "ACME", amount: 99, lines: [] }]);
  expect(problems).toEqual([]);
});

test("arguments that the tool refuses are refused with its words, and the question still waits", async () => {
  const { host } = createWorld();
  const paid = mountPay(host);
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await host.call({ name: "pay", arguments: { to: "ACME", amount: 1299 } }, { sessionId: "s" });
  await item(page, "Pay ACME").waitFor();
  await pane(page).getByRole("button", { name: "Edit" }).press("Enter");
  const form = pane(page).getByRole("form", { name: "Arguments of pay" });
  await form.getByLabel("lines").fill("not JSON");
  await form.getByRole("button", { name: "Approve with these arguments" }).press("Enter");
  await form.getByRole("alert").getByText("The field lines must be JSON").waitFor();
  await form.getByLabel("lines").fill("[]");
  await form.getByLabel("amount").fill("-1");
  await form.getByRole("button", { name: "Approve with these arguments" }).press("Enter");
  await page.getByText(/amount.*\(OPTION_INVALID\)/).waitFor();

  expect(await host.approvals.list()).toHaveLength(1);
  await form.getByLabel("amount").press("Escape");
  await form.waitFor({ state: "detached" });
  expect(paid).toEqual([]);
});
