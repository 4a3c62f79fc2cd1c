import type { AddressInfo } from "node:net";
import { createServer as createHttpServer } from "node:http";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startBrowser } from "./support/browser.ts";
import { item, live, openPage, pane } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** How many streams of events a browser has opened, and has open. */
function countStreams(context: BrowserContext) {
  const open = new Set<unknown>();
  let opened = 0;
  context.on("request", (request) => {
    if (!request.url().endsWith("/events")) return;
    open.add(request);
    opened += 1;
  });
  context.on("requestfinished", (request) => void open.delete(request));
  context.on("requestfailed", (request) => void open.delete(request));
  return { open: () => open.size, opened: () => opened };
}

test("twelve tabs have one stream: each is live and sees a question, the last one answers it, and another takes over when the first closes", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  let streams: ReturnType<typeof countStreams> | undefined;
  const { page, context } = await openPage(browser, server.url, tokens.operator, undefined, async (made) => {
    streams = countStreams(made);
  });
  const pages: Page[] = [page];
  for (let at = 1; at < 12; at++) {
    const next = await context.newPage();
    await next.goto(`${server.url}/#token=${tokens.operator}`);
    pages.push(next);
  }
  for (const one of pages) await live(one);
  expect(streams!.opened()).toBe(1);

  await host.call({ name: "wipe", arguments: { text: "all" } }, { sessionId: "s" });
  for (const one of pages) await item(one, "Wipe all").waitFor();
  await pane(pages.at(-1)!).getByRole("button", { name: "Approve once" }).press("Enter");
  for (const one of pages)
    await item(one, "Wipe all")
      .getByText(/approved by (you|operator)/)
      .waitFor();

  await page.close();
  await expect.poll(() => streams!.opened(), { timeout: 240_000 }).toBe(2);
  await host.call({ name: "wipe", arguments: { text: "the rest" } }, { sessionId: "s" });
  for (const one of pages.slice(1)) await item(one, "Wipe the rest").waitFor();
  expect(streams!.opened()).toBe(2);
});

test("a hidden tab has no stream, and reads what happened when a person looks again", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  let streams: ReturnType<typeof countStreams> | undefined;
  const { page } = await openPage(browser, server.url, tokens.operator, undefined, async (context) => {
    streams = countStreams(context);
    await context.clock.install();
  });
  await live(page);
  const look = (state: "hidden" | "visible") =>
    page.evaluate(`Object.defineProperty(document, "visibilityState", { value: "${state}", configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));`);

  await look("hidden");
  await page.clock.runFor(6_000);
  await expect.poll(() => streams!.open(), { timeout: 240_000 }).toBe(0);
  await host.call({ name: "wipe", arguments: { text: "all" } }, { sessionId: "s" });
  await look("visible");

  await item(page, "Wipe all").waitFor();
  expect(streams!.opened()).toBe(2);
});

test("a link opens a new tab that is signed in, as long as another tab of the page is open", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const { page, context } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const second = await context.newPage();
  await second.goto(`${server.url}/#/calls?tool=wipe`);
  await live(second);
  expect(await second.getByLabel("tool", { exact: true }).inputValue()).toBe("wipe");

  await second.getByRole("button", { name: "Sign out" }).click();
  await second.getByLabel("Token").waitFor();
  await page.close();
  const third = await context.newPage();
  await third.goto(server.url);
  await third.getByLabel("Token").waitFor();
  await third.getByLabel("Token").fill("tm_a_token_of_nobody");
  await third.getByRole("button", { name: "Open" }).click();
  await third.getByRole("alert").getByText("The server does not accept this token").waitFor();
});

/** A site elsewhere, whose page has a link, and whose other path redirects. */
async function siteWith(target: string): Promise<string> {
  const site = createHttpServer((request, response) => {
    if (request.url === "/redirect") {
      response.writeHead(302, { location: target }).end();
      return;
    }
    response.setHeader("content-type", "text/html");
    response.end(`<a id="here" href="${target}">open</a><a id="new" target="_blank" href="${target}">open</a>
      <iframe src="${target}"></iframe>`);
  });
  await new Promise<void>((resolve) => site.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void site.close());
  return `:${(site.address() as AddressInfo).port}`;
}

test.each(["127.0.0.1", "localhost"])(
  "a link, a link to a new tab and a redirect from another site at %s open the question; its frames and requests are refused",
  async (name) => {
    const { host, started } = createWorld();
    const { server, tokens } = await serve(host);
    await host.call({ name: "wipe", arguments: { text: "all" } }, { sessionId: "s" });
    const [question] = await host.approvals.list();
    const url = `http://127.0.0.1:${server.port}`;
    const site = `http://${name}${await siteWith(`${url}/#/inbox/${question!.id}`)}`;
    const { page, context } = await openPage(browser, server.url, tokens.operator);
    await live(page);
    const shown = (one: Page) => pane(one).getByRole("heading", { name: "Wipe all" }).waitFor();

    const other = await context.newPage();
    await other.goto(site);
    const framed = other.frames()[1]!;
    expect(await framed.locator("h1").count()).toBe(0);
    const [opened] = await Promise.all([context.waitForEvent("page"), other.click("#new")]);
    await shown(opened);
    const fetched = await other.evaluate(
      (address) =>
        fetch(`${address}/`).then(
          () => "read",
          () => "refused",
        ),
      url,
    );
    expect(fetched).toBe("refused");
    await other.click("#here");
    await shown(other);
    await other.goto(`${site}/redirect`);
    await shown(other);

    expect(started).toEqual([]);
  },
);

test("a link with another person's token changes no tab: one that has a token keeps it", async () => {
  const { server, tokens } = await serve(createWorld().host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.goto("about:blank");
  await page.goto(`${server.url}/#token=${tokens.caller}&view=/calls`);
  await live(page);
  expect(await page.evaluate(() => sessionStorage.getItem("toolmount-token"))).toBe(tokens.operator);
  expect(new URL(page.url()).hash).toBe("#/calls");
});
