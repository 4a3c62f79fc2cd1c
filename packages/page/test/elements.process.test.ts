import { AxeBuilder } from "@axe-core/playwright";
import { createMemoryStore, data, defineTool, silentLogger, createHost } from "@toolmount/core";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { z } from "zod";
import { Chat } from "./support/chat.ts";
import { startBrowser } from "./support/browser.ts";
import { reactPage, serveProduct } from "./support/product.ts";
import { serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** What a server with an audit would answer about the session. */
const story = {
  session: "s1",
  user: null,
  from: null,
  to: null,
  workedMs: 0,
  spent: null,
  stands: "it waits for a person",
  isPartial: false,
  omitsReads: false,
};
const said = (paid: number) => ({ kind: "said", by: "user", at: null, text: `Pay Ann: ${paid} paid.` });

/** A host with one tool that asks, and a product's page that shows its questions. */
async function product(chat?: Awaited<ReturnType<typeof reactPage>>) {
  const host = createHost({ logger: silentLogger, store: createMemoryStore({ audit: "durable" }) });
  const ran: string[] = [];
  const pay = defineTool({
    name: "pay",
    description: "Pays. Use in tests.",
    category: "side_effect",
    consequenceLevel: "medium",
    requiresConfirmation: true,
    schema: z.strictObject({ to: z.string() }),
    execute: ({ to }) => (ran.push(to), data("paid")),
  });
  host.coordinator.mount("tools", pay);
  const stories = { recent: async () => [], read: async () => ({ ...story, steps: [said(ran.length)] }) };
  const { server, tokens } = await serve({ default: { host, stories } });
  const { url, seen } = await serveProduct(server.url, tokens.operator, chat);
  const context = await browser.newContext({ viewport: { width: 800, height: 900 } });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(240_000); // only against hanging
  const page = await context.newPage();
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await page.goto(url);
  const ask = (to: string, sessionId: string) => host.call({ name: "pay", arguments: { to } }, { sessionId });
  return { host, server, page, problems, seen, ask };
}

const question = (page: Page, session: string) => page.locator(`toolmount-question[session="${session}"]`);

describe("the elements in a product's page", () => {
  test("show what waits in a session; a press of a key answers, and the page hears it", async () => {
    const { host, page, problems, seen, ask } = await product();
    const [first] = [await ask("ann", "s1"), await ask("bob", "s2")];
    const own = question(page, "s1");
    await own.getByRole("heading", { name: "ann" }).waitFor();

    expect(await question(page, "s2").getByRole("heading").first().innerText()).toContain("bob");
    expect((await new AxeBuilder({ page }).analyze()).violations).toEqual([]);
    await own.getByRole("button", { name: "Approve once" }).focus();
    // A button that has only just come there does nothing.
    await own.locator("[data-decides]:not([aria-disabled])").waitFor();
    await page.keyboard.press("Enter");
    await own.getByText("approved by you").waitFor();

    expect(await page.evaluate("answers")).toMatchObject([{ sessionId: "s1", decision: "approve" }]);
    expect(await own.locator("kbd").count()).toBe(0);
    expect(await own.getByRole("link", { name: "s1" }).getAttribute("href")).toBe(
      "https://ops.test/#/sessions/s1",
    );
    const outcome = await host.resume(first.status === "pending" ? first.ticket! : "", { sessionId: "s1" });
    expect(outcome.status).toBe("ok");
    await page
      .locator("toolmount-story")
      .getByText("paid", { exact: false })
      .or(page.locator("toolmount-story li"))
      .first()
      .waitFor();
    // The browser never had the token, and nothing broke the strict policy.
    expect([new Set(seen), problems]).toEqual([new Set([undefined]), []]);
  });

  test("take the colours of the page, are empty while nothing waits, and leave the keys and the address to it", async () => {
    const { page, ask, problems } = await product();
    const own = question(page, "s1");
    expect(await own.evaluate((element) => element.shadowRoot!.textContent)).toBe("");
    await ask("ann", "s1");
    const link = own.getByRole("link").first();
    await link.waitFor();

    const colour = await link.evaluate(
      (element) => element.ownerDocument.defaultView!.getComputedStyle(element).color,
    );
    expect(colour).toBe("rgb(1, 2, 3)");
    await page.keyboard.press("a");
    await page.keyboard.press("d");
    expect(await own.getByRole("button", { name: "Approve once" }).count()).toBe(1);
    expect(new URL(page.url()).hash).toBe("");
    await page.evaluate("disconnect()");
    await own.getByRole("heading").waitFor({ state: "detached" });
    expect(problems).toEqual([]);
  });

  test("show another session when the page says so, and call no question answered while the server is away", async () => {
    const { server, page, ask } = await product();
    await ask("ann", "s1");
    await ask("bob", "s2");
    const first = page.locator("toolmount-question").first();
    await first.getByRole("heading", { name: "ann" }).waitFor();
    await first.evaluate((element) => element.setAttribute("session", "s2"));
    await first.getByRole("heading", { name: "bob" }).waitFor();

    await server.close({ graceMs: 0 });
    await first.getByText("The server does not answer now.").waitFor();

    expect(await first.getByRole("heading").count()).toBe(0);
    expect(await page.evaluate("answers")).toEqual([]);
  });

  test("ask for one more token where the server refuses one, and say it when that is refused, too", async () => {
    const { page } = await product();
    let refused = 0;
    await page.route("**/toolmount/api/**", (route) => {
      refused += 1;
      return route.fulfill({ status: 401, json: { code: "TOKEN_INVALID", detail: "unknown token" } });
    });
    await page.evaluate(
      `globalThis.given = 0;
       import("/elements.js").then(({ connectToolmount }) =>
         connectToolmount({ server: "/toolmount", token: async () => "t" + ++given }))`,
    );
    await question(page, "s1").getByText("The server does not accept this token: unknown token.").waitFor();

    // The first token, and one for each request, which was sent twice.
    const given = await page.evaluate<number>("given");
    expect(given).toBeGreaterThan(1);
    expect(given - 1).toBeLessThanOrEqual((refused + 1) / 2);
  });

  test("are components of React, also where a server renders them", async () => {
    const { page, ask, problems } = await product(await reactPage());
    await ask("ann", "s1");
    const own = question(page, "s1");
    const deny = own.getByRole("button", { name: "Deny" });
    await deny.focus();
    await own.locator("[data-decides]:not([aria-disabled])").waitFor();
    await deny.press("Enter");

    await page.getByText("You answered: deny").waitFor();
    await page.locator("toolmount-story").getByText("Pay Ann: 0 paid.").waitFor();
    expect(await own.getAttribute("class")).toBe("card");
    expect(renderToString(createElement(Chat))).toContain('<toolmount-question class="card" session="s1">');
    expect(problems).toEqual([]);
  });
});
