import { createConnection, createServer, type AddressInfo, type Socket } from "node:net";
import { createToken, createTokenCheck, hashToken } from "@toolmount/http";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startBrowser } from "./support/browser.ts";
import { item, live, openPage, pane } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

/** The question that is shown, with its answers. */
const card = pane;
const nothingWaits = (page: Page) => page.getByText("Nothing waits for an answer.").waitFor();

/** Presses Tab until the focus is on what the locator finds. */
async function tabTo(page: Page, role: "button" | "link", name: string): Promise<void> {
  const target = page.getByRole(role, { name, exact: true });
  await target.waitFor();
  for (let at = 0; at < 60; at++) {
    await page.keyboard.press("Tab");
    if (await target.evaluate((element) => element.matches(":focus"))) return;
  }
  expect.fail(`Tab does not reach ${name}`);
}

test("an approval is decided in the browser while the call waits, by keyboard alone", async () => {
  const { host } = createWorld();
  const { server, tokens, ask } = await serve(host);
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await nothingWaits(page);
  const hostile = "<img src=x onerror=alert(1)>";
  const body = { tool: "wipe", arguments: { text: hostile }, sessionId: "s1", waitMs: 60_000 };
  const answer = ask("POST", "/api/v1/hosts/default/calls", { as: "caller", body });

  await card(page).getByRole("heading", { name: hostile }).waitFor();
  expect(await page.title()).toBe("(1) toolmount");
  expect(await page.locator("img").count()).toBe(0);
  await tabTo(page, "button", "Approve once");
  await page.keyboard.press("Enter");

  expect((await answer).body).toMatchObject({ status: "ok", result: { data: `wiped ${hostile}` } });
  await item(page, "Wipe").getByText("approved by you; it ran").waitFor();
  await nothingWaits(page);
  expect(problems).toEqual([]);
});

test("a question that another person answers keeps its place with that person's name until another view is opened", async () => {
  const { host } = createWorld();
  const { server, tokens, ask } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await host.call({ name: "wipe" }, { sessionId: "s" });
  await card(page).getByRole("heading", { name: "Wipe" }).waitFor();
  const [waiting] = await host.approvals.list();

  await host.approvals.decide(waiting!.id, { decision: "deny", reason: "not today" }, "Ana");

  await page.getByText("Ana denied wipe.").waitFor();
  await card(page).getByText("denied by Ana: not today").waitFor();
  expect(
    await card(page)
      .getByRole("button", { name: /Approve|Deny/ })
      .count(),
  ).toBe(0);
  await item(page, "Wipe").getByText("denied by Ana").waitFor();
  await page.getByRole("link", { name: "Calls" }).click();
  await page.getByRole("link", { name: /^Inbox/ }).click();
  await page.getByRole("region", { name: "Answered" }).getByText("denied by Ana").waitFor();
  expect(await item(page, "Wipe").count()).toBe(0);
  expect((await ask("GET", `/api/v1/hosts/default/approvals/${waiting!.id}`)).body).toMatchObject({
    decision: { by: "Ana", decision: "deny", reason: "not today" },
  });
});

test("For this session: the same call runs again in its session, and waits in another, until the approval is revoked", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const wipe = async (sessionId: string, text = "the build") =>
    (await host.call({ name: "wipe", arguments: { text } }, { sessionId })).status;
  expect(await wipe("s1")).toBe("pending");

  await card(page).getByRole("button", { name: "Always…" }).click();
  await card(page).getByText("wipe with exactly these arguments, in session s1").waitFor();
  await card(page).getByRole("button", { name: "For this session" }).press("Enter");
  await nothingWaits(page);

  expect(await wipe("s1")).toBe("ok");
  const remembered = page
    .getByRole("listitem")
    .filter({ hasText: "with the same arguments, in session s1, by operator" });
  await remembered.waitFor();
  expect([await wipe("s1", "another build"), await wipe("s2")]).toEqual(["pending", "pending"]);
  await remembered.getByRole("button", { name: "Revoke wipe" }).click();
  await remembered.waitFor({ state: "detached" });
  expect(await wipe("s1")).toBe("pending");
});

test("Always: a call with the same arguments runs in every session, and one with others waits", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  const wipe = async (sessionId: string, text: string) =>
    (await host.call({ name: "wipe", arguments: { text } }, { sessionId })).status;
  expect(await wipe("s1", "the build")).toBe("pending");

  await card(page).getByRole("button", { name: "Always…" }).click();
  await card(page).getByRole("button", { name: "Always, with these arguments" }).press("Enter");
  await nothingWaits(page);
  await page.getByText("with the same arguments, by operator").waitFor();

  expect(await wipe("s2", "the build")).toBe("ok");
  expect(await wipe("s2", "the sources")).toBe("pending");
  await item(page, "the sources").waitFor();
});

test("of two people who press together one is first, and both pages say who it was", async () => {
  const { host } = createWorld();
  const tokens = { caller: createToken(), operator: createToken(), ana: createToken() };
  const people = (["operator", "ana"] as const).map((name) => ({
    name,
    sha256: hashToken(tokens[name]),
    roles: ["call" as const, "approve" as const],
  }));
  const { server } = await serve(host, { authenticate: createTokenCheck(people) }, tokens);
  const pages = await Promise.all(
    people.map(async ({ name }) => (await openPage(browser, server.url, tokens[name])).page),
  );
  await host.call({ name: "wipe" }, { sessionId: "s" });
  // Both have pressed before either answer arrives.
  let pressed = 0;
  let release = () => {};
  const both = new Promise<void>((resolve) => (release = resolve));
  for (const page of pages)
    await page.route("**/decision", async (route) => {
      if ((pressed += 1) === pages.length) release();
      await both;
      await route.continue();
    });

  await Promise.all(
    ["Approve once", "Deny"].map((name, at) => card(pages[at]!).getByRole("button", { name }).click()),
  );

  const says = await Promise.all(
    pages.map((page) =>
      card(page)
        .getByText(/^(approved|denied) by (you|operator|ana)/)
        .innerText(),
    ),
  );
  const [first = "", second = ""] = says;
  expect(says.filter((text) => / by you\b/.test(text))).toHaveLength(1);
  expect(first.split(" ")[0]).toBe(second.split(" ")[0]);
});

test("a person who allows it and looks elsewhere gets a notification of the browser, which goes when the question is answered", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  // The real class, which also writes what it shows to the console.
  const listen = `
    Notification = class extends Notification {
      constructor(title, options) {
        super(title, options);
        this.onshow = () => console.log("shown: " + title + ", " + options.body);
        this.onclose = () => console.log("closed: " + title);
      }
    };`;
  const { page, context } = await openPage(
    browser,
    server.url,
    tokens.operator,
    undefined,
    async (prepared) => {
      await prepared.grantPermissions(["notifications"], { origin: server.url });
      await prepared.addInitScript(listen);
    },
  );
  const said: string[] = [];
  page.on("console", (message) => said.push(message.text()));
  await live(page);
  await host.call({ name: "wipe" }, { sessionId: "seen" });
  await item(page, "Wipe").waitFor();
  const [seen] = await host.approvals.list();
  await host.approvals.decide(seen!.id, { decision: "deny" }, "Ana");
  await nothingWaits(page);
  expect(said).toEqual([]);

  const devtools = await context.newCDPSession(page);
  await devtools.send("Emulation.setFocusEmulationEnabled", { enabled: false });
  await (await context.newPage()).bringToFront();
  await expect.poll(() => page.evaluate<boolean>("document.hasFocus()")).toBe(false);
  const closed = page.waitForEvent("console", (message) => message.text() === "closed: Wipe all");
  const shown = page.waitForEvent("console", (message) => message.text().startsWith("shown: Wipe all"));
  await host.call({ name: "wipe", arguments: { text: "all" } }, { sessionId: "s" });
  const [question] = await host.approvals.list();
  expect((await shown).text()).toBe(`shown: Wipe all, ${question!.prompt}`);
  await host.approvals.decide(question!.id, { decision: "approve" }, "Ana");
  await closed;
});

test("a person is asked once whether the page may notify", async () => {
  const { server, tokens } = await serve(createWorld().host);
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);

  await page.getByRole("button", { name: "Notify me when something waits" }).click();

  // This browser has no person who allows it.
  await page.getByRole("button", { name: "Notify me when something waits" }).waitFor({ state: "detached" });
  expect(await page.evaluate<string>("Notification.permission")).toBe("denied");
});

/** A network between the page and a server, which can go silent: then nothing passes, and no connection ends. */
async function networkTo(port: number) {
  const sockets: Socket[] = [];
  let isSilent = false;
  const network = createServer((near) => {
    const far = createConnection(port, "127.0.0.1");
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.push(from);
      from.on("data", (bytes) => isSilent || to.write(bytes));
      from.on("close", () => isSilent || to.destroy());
      from.on("error", () => {});
    }
  });
  await new Promise<void>((resolve) => network.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    network.close();
  });
  return {
    url: `http://127.0.0.1:${(network.address() as AddressInfo).port}`,
    silence: (on: boolean) => void (isSilent = on),
  };
}

test("when the network is silent, the page does not go on saying that nothing waits, and it connects again", async () => {
  const { host } = createWorld();
  const { server, tokens } = await serve(host);
  const network = await networkTo(server.port);
  const { page } = await openPage(browser, network.url, tokens.operator, undefined, (context) =>
    context.clock.install(),
  );
  await live(page);
  await nothingWaits(page);

  network.silence(true);
  await host.call({ name: "wipe" }, { sessionId: "s" });
  await page.clock.fastForward(60_000);
  await page.getByText("it is not known what waits").waitFor();
  expect(await page.getByText("Nothing waits for an answer.").count()).toBe(0);
  network.silence(false);
  // The request that the page has made meanwhile got lost.
  await page.clock.fastForward(60_000);

  await item(page, "Wipe").waitFor();
});
