import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../../../page/test/support/browser.ts";
import { openPage } from "../support/browser.ts";
import { startServer, writeTokens } from "../support/served.ts";
import { oneTool, planOf, workspace } from "../support/workspace.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const pay = oneTool({
  name: "pay",
  schema: "to: z.string(), amount: z.number()",
  body: "return data({ paid: params.to });",
});

const plan = `${planOf("./pay.ts")}state: sqlite:./state.db
audit: durable
policy:
  deny: ["pay(mallory)"]
`;

interface Listed {
  readonly calls: readonly { readonly callId: string; readonly status: string }[];
}

test("calls of before a kill and of other processes are in the list, the search and the export of the next server", async () => {
  const place = await workspace({ "plan.yaml": plan, "pay.ts": pay });
  const tokens = await writeTokens();
  const first = await startServer(place, tokens, ["plan.yaml"]);
  await first.ask("POST", "/calls", { id: "a", tool: "pay", arguments: { to: "ACME", amount: 5 } });
  await first.ask("POST", "/calls", { id: "b", tool: "pay", arguments: { to: "mallory", amount: 9 } });
  first.child.kill("SIGKILL");
  await first.ended;
  await place.run(["call", "plan.yaml", "pay", '{"to":"ACME Inc","amount":7}', "--user", "carol"]);

  const { ask, url } = await startServer(place, tokens, ["plan.yaml"]);
  const list = async (query: string) =>
    ((await ask("GET", `/calls${query}`)).body as unknown as Listed).calls.map(({ status }) => status);
  expect(await list("")).toEqual(["ok", "denied", "ok"]);
  expect(await list("?text=acme")).toEqual(["ok", "ok"]);
  expect(await list("?text=paid%20inc&user=carol")).toEqual(["ok"]);
  expect(await list("?status=denied")).toEqual(["denied"]);
  const exported = await fetch(`${url}/api/v1/hosts/default/calls/export?format=csv&status=denied`, {
    headers: { authorization: `Bearer ${tokens.ops}` },
  });
  const [header, line, ...rest] = (await exported.text()).trimEnd().split("\n");
  expect([exported.headers.get("content-type"), rest]).toEqual(["text/csv; charset=utf-8", []]);
  expect(header).toMatch(/^time,run,kind,tool,arguments,/);
  expect(line).toContain(",pay,");
});

test("an edited policy on the page shows which calls of before it would have answered otherwise, and no tool runs", async () => {
  const place = await workspace({ "plan.yaml": plan, "pay.ts": pay });
  const tokens = await writeTokens();
  const server = await startServer(place, tokens, ["plan.yaml"]);
  for (const to of ["ACME", "ACME", "mallory", "Emma"])
    await server.ask("POST", "/calls", { tool: "pay", arguments: { to, amount: 1 } });
  const page = await openPage(browser, server.url, tokens.ops);
  await page.getByRole("link", { name: "Plan" }).click();
  await page.getByText("What would another policy have answered?").click();
  const text = page.getByLabel("The section policy of the plan");
  const policy = await text.inputValue();
  expect(policy).toContain("pay(mallory)");

  await text.fill(policy.replace("pay(mallory)", "pay(ACME)"));
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText("4 calls judged, 3 would be answered otherwise.").waitFor();
  const denied = page.getByRole("region", { name: "pay: allow becomes deny" });
  expect(await denied.innerText()).toMatch(/2 calls[\s\S]*"to":"ACME"/);
  expect(await page.getByRole("region", { name: "pay: deny becomes allow" }).innerText()).toContain(
    "mallory",
  );

  await text.fill("deny: [\n  oops: {");
  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByText(/policy:2:\d+/).waitFor();
  await text.fill("level: reckless");
  await page.getByRole("button", { name: "Compare" }).click();
  await page
    .getByText(/reckless|level/)
    .last()
    .waitFor();
  const { calls } = (await server.ask("GET", "/calls")).body as unknown as Listed;
  expect(calls).toHaveLength(4);
});

test("the page suggests lines of the policy by what people answered, with the calls behind them", async () => {
  const asking = `${planOf("./pay.ts")}state: sqlite:./state.db\naudit: durable\npolicy:\n  level: paranoid\n`;
  const place = await workspace({ "plan.yaml": asking, "pay.ts": pay });
  const tokens = await writeTokens();
  const server = await startServer(place, tokens, ["plan.yaml"]);
  for (const [to, decision] of [
    ["ACME", "approve"],
    ["ACME", "approve"],
    ["mallory", "deny"],
  ] as const) {
    await server.ask("POST", "/calls", { tool: "pay", arguments: { to, amount: 1 }, background: true });
    const { waiting } = (await server.ask("GET", "/approvals")).body as unknown as {
      readonly waiting: readonly { readonly id: string }[];
    };
    await server.ask("POST", `/approvals/${waiting[0]!.id}/decision`, { decision });
    await expect
      .poll(async () => ((await server.ask("GET", "/calls")).body as unknown as Listed).calls[0]?.status)
      .toBe(decision === "approve" ? "ok" : "denied");
  }
  const page = await openPage(browser, server.url, tokens.ops);
  await page.getByRole("link", { name: "Plan" }).click();
  await page.getByText("What would another policy have answered?").click();
  await page.getByRole("button", { name: "Suggest lines from answers" }).click();
  await page.getByText("3 answered calls, 2 questions spared.").waitFor();
  const line = page.getByRole("region", { name: "allow pay(ACME)" });
  expect(await line.innerText()).toMatch(/2 calls[\s\S]*"to":"ACME"/);
  expect(await page.getByLabel("The section policy of the plan").inputValue()).toBe(
    "level: paranoid\nallow:\n  - pay(ACME)\n",
  );

  await page.getByRole("button", { name: "Compare" }).click();
  await page.getByRole("region", { name: "pay: ask becomes allow" }).waitFor();
  // A person with another role neither sees the button's answer nor can ask for it.
  const refused = await fetch(`${server.url}/api/v1/hosts/default/plan/suggest`, {
    method: "POST",
    headers: { authorization: `Bearer ${tokens.call}`, "content-type": "application/json" },
    body: "{}",
  });
  expect(refused.status).toBe(403);
});
