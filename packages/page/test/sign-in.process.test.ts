import { createOidcCheck, createPageSignIn, findOidcKeys } from "@toolmount/http";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { startBrowser } from "./support/browser.ts";
import { item, pane } from "./support/page.ts";
import { audience, signInAs, startProvider } from "../../http/test/support/provider.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const roles = { olga: ["call", "approve", "admin"], vera: ["view"], noa: [] };

/** A server whose page sends people to a real provider. */
async function world({
  tokenSeconds = 600,
  clientId = "page",
  clientSecret = undefined as string | undefined,
} = {}) {
  const provider = await startProvider({ roles, tokenSeconds });
  const { issuer } = provider;
  const check = createOidcCheck({ issuer, audience, keys: await findOidcKeys(issuer) });
  const pageSignIn = await createPageSignIn({
    issuer,
    audience,
    clientId,
    clientSecret,
    authenticate: check,
  });
  const { host, started } = createWorld();
  const { server } = await serve(host, { authenticate: check, pageSignIn });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  onTestFinished(() => context.close());
  context.setDefaultTimeout(240_000); // only against hanging
  return { provider, host, started, server, context, page: await context.newPage() };
}

/** The provider is on the same machine, and a cookie is of a machine. */
const ownCookies = async (context: BrowserContext) =>
  (await context.cookies()).filter(({ name }) => name.startsWith("toolmount"));

const open = async (page: Page, url: string) => {
  await page.goto(url);
  await page.getByRole("link", { name: /Sign in at 127\.0\.0\.1/ }).click();
};

/** Asks the API with the token of the page. */
async function askAs(page: Page, method: string, path: string, body?: object) {
  const token = await page.evaluate<string>('sessionStorage.getItem("toolmount-token")');
  const response = await fetch(`${new URL(page.url()).origin}/api/v1/hosts/default${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const answer: unknown = await response.json();
  return { status: response.status, body: answer };
}

const wipe = { name: "wipe", arguments: { text: "all" } };

test("a link to a question leads through the provider to that question, and the answer is of the person who signed in", async () => {
  const { host, server, page } = await world();
  await host.call(wipe, { sessionId: "s" });
  const [question] = await host.approvals.list();

  await open(page, `${server.url}/#/inbox/${question!.id}`);
  await signInAs(page, "olga");
  await pane(page).getByRole("heading", { name: "Wipe all" }).waitFor();
  expect(new URL(page.url()).hash).toBe(`#/inbox/${question!.id}`);
  await pane(page).getByRole("button", { name: "Approve once" }).press("Enter");
  await item(page, "Wipe all")
    .getByText(/approved by/)
    .waitFor();
  expect(await askAs(page, "GET", `/approvals/${question!.id}`)).toMatchObject({
    body: { decision: { decision: "approve", by: "olga" } },
  });
});

test("a link with a token signs no person in where people sign in at a provider", async () => {
  const { server, page } = await world();
  await page.goto(`${server.url}/#token=a.stranger.token&view=/inbox`);
  await page.getByRole("link", { name: /^Sign in at/ }).waitFor();
  expect(await page.evaluate(() => sessionStorage.getItem("toolmount-token"))).toBeNull();
});

test("a new tab without another one is signed in by itself; after signing out it is not, and the provider ended what renews", async () => {
  const { provider, server, context, page } = await world({
    clientId: "page-with-secret",
    clientSecret: "a secret of two sides",
  });
  await open(page, server.url);
  await signInAs(page, "olga");
  await page.getByText("live as olga").waitFor();
  await page.close();

  const second = await context.newPage();
  await second.goto(`${server.url}/#/calls`);
  await second.getByText("live as olga").waitFor();
  expect(await ownCookies(context)).toMatchObject([{ httpOnly: true, sameSite: "Strict", path: "/signin" }]);
  expect(await second.evaluate("document.cookie")).not.toContain("toolmount");

  await second.getByRole("button", { name: "Sign out" }).click();
  await second.getByRole("link", { name: /Sign in at/ }).waitFor();
  await expect.poll(() => provider.seen, { timeout: 240_000 }).toContain("grant.revoked");
  await second.reload();
  await second.getByRole("link", { name: /Sign in at/ }).waitFor();
});

test("a token that ends is renewed in every tab, with one stream, and the question that is open stays", async () => {
  const { provider, host, server, context, page } = await world({ tokenSeconds: 3 });
  await open(page, server.url);
  await signInAs(page, "olga");
  await page.getByText("live as olga").waitFor();
  const other = await context.newPage();
  await other.goto(server.url);
  await other.getByText("live as olga").waitFor();
  await host.call(wipe, { sessionId: "s" });
  await pane(page).getByRole("heading", { name: "Wipe all" }).waitFor();
  await pane(page).getByRole("textbox", { name: "Reason" }).fill("I am writing");

  const grants = () => provider.seen.filter((event) => event === "grant.success").length;
  const before = grants();
  await expect.poll(grants, { timeout: 240_000 }).toBeGreaterThan(before + 3);
  expect(provider.seen).not.toContain("grant.error");
  for (const tab of [page, other]) await item(tab, "Wipe all").waitFor();
  expect(await pane(page).getByRole("textbox", { name: "Reason" }).inputValue()).toBe("I am writing");
  await pane(page).getByRole("button", { name: "Deny" }).press("Enter");
  await item(other, "Wipe all")
    .getByText(/denied by/)
    .waitFor();
});

test("a viewer sees questions and calls, and can change nothing", async () => {
  const { host, server, page } = await world();
  await host.call(wipe, { sessionId: "s" });
  const [question] = await host.approvals.list();
  await open(page, `${server.url}/#/inbox`);
  await signInAs(page, "vera");
  await pane(page).getByText("You may look, and not answer").waitFor();
  expect(await page.getByRole("button", { name: /Approve|Deny|Mark/ }).count()).toBe(0);
  await page.keyboard.press("a");

  const ask = async (...given: [string, string, object?]) => (await askAs(page, ...given)).status;
  const path = `/approvals/${question!.id}`;
  expect(await ask("GET", path)).toBe(200);
  expect(await ask("GET", "/calls")).toBe(200);
  expect(await ask("POST", `${path}/decision`, { decision: "approve" })).toBe(403);
  expect(await ask("DELETE", path)).toBe(403);
  expect(await ask("POST", "/calls", { tool: "echo", arguments: {} })).toBe(403);
  expect(await host.approvals.list()).toHaveLength(1);
});

test("a refusal of the provider, an answer that is not waited for, and a person without a role each say what to do", async () => {
  const { server, context, page } = await world();
  await open(page, server.url);
  await page.getByRole("link", { name: /cancel/i }).click();
  await page.getByRole("alert").getByText("did not let you in").waitFor();

  await page.goto(new URL("/signin/callback?code=stolen&state=x", server.url).href);
  await page.getByRole("alert").getByText("Sign in again").waitFor();

  await open(page, server.url);
  await signInAs(page, "noa");
  await page.getByRole("alert").getByText("you have no role here").waitFor();
  expect(await ownCookies(context)).toEqual([]);
});

test("a provider that is gone does not sign a person out: the connection is lost, and what renews the token stays", async () => {
  const { provider, server, context, page } = await world({ tokenSeconds: 3 });
  await open(page, server.url);
  await signInAs(page, "olga");
  await page.getByText("live as olga").waitFor();
  await provider.end();
  await page.getByText("Connection lost").waitFor();
  await page.getByText("SIGN_IN_FAILED").first().waitFor();
  expect(await page.getByRole("link", { name: /Sign in at/ }).count()).toBe(0);
  expect(await ownCookies(context)).toHaveLength(1);
});
