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
  ask: ["pay(*)"]
`;

interface Story {
  readonly stands: string;
  readonly steps: readonly { readonly call: { readonly line: string; readonly says: string } }[];
}

/** A server where a client made two calls in the session `web`; the first is approved, and has not run. */
async function world() {
  const place = await workspace({ "plan.yaml": plan, "pay.ts": pay });
  const tokens = await writeTokens();
  const server = await startServer(place, tokens, ["plan.yaml"]);
  for (const to of ["ACME", "Emma"])
    await server.ask("POST", "/calls", { tool: "pay", arguments: { to, amount: 5 }, sessionId: "web" });
  const { waiting } = (await server.ask("GET", "/approvals")).body as never as {
    waiting: readonly { readonly id: string; readonly arguments: { readonly to: string } }[];
  };
  const { id } = waiting.find((one) => one.arguments.to === "ACME")!;
  await server.ask("POST", `/approvals/${id}/decision`, { decision: "approve", reason: "as agreed" });
  return { place, tokens, server };
}

const says = ({ steps }: Story) => steps.map(({ call }) => [call.line, call.says]);
const expected = [
  ["to: ACME, amount: 5", expect.stringMatching(/^approved by \w+; its caller has not run it yet$/)],
  ["to: Emma, amount: 5", "waits for an answer"],
];

test("a session of a client is one story: over HTTP, in the terminal, and on the page", async () => {
  const { place, tokens, server } = await world();
  const stands = "1 call waits for an answer, 1 call is answered and not run yet";

  const story = (await server.ask("GET", "/sessions/web/story")).body as never as Story;
  expect([story.stands, says(story)]).toEqual([stands, expected]);
  expect((await server.ask("GET", "/stories")).body).toMatchObject({
    stories: [{ session: "web", calls: 2 }],
  });
  expect((await server.ask("GET", "/sessions/none/story")).status).toBe(404);

  // The user ana has a session of the same name, and sees hers only.
  const asAna = { as: tokens.ana };
  expect((await server.ask("GET", "/sessions/web/story", undefined, asAna)).status).toBe(404);
  const own = { tool: "pay", arguments: { to: "Ana", amount: 1 }, sessionId: "web" };
  await server.ask("POST", "/calls", own, asAna);
  const hers = (await server.ask("GET", "/sessions/web/story", undefined, asAna)).body as never as Story;
  expect(says(hers)).toEqual([["to: Ana, amount: 1", "waits for an answer"]]);
  expect((await server.ask("GET", "/stories", undefined, asAna)).body).toMatchObject({
    stories: [{ user: "ana", calls: 1 }],
  });
  expect(says((await server.ask("GET", "/sessions/web/story")).body as never as Story)).toEqual(expected);

  const { story: shown } = (await place.run(["sessions", "show", "web", "plan.yaml", "--json"])).json() as {
    story: Story;
  };
  expect(says(shown)).toEqual(expected);
  // The id of a run is in logs, exports and questions: it opens the story of its session.
  const [, row = ""] = (await place.run(["audit", "plan.yaml", "--format", "csv"])).stdout.split("\n");
  const ofRun = await place.run(["sessions", "show", row.split(",")[1]!, "plan.yaml", "--json"]);
  expect(ofRun.json()).toMatchObject({ story: { session: "web", spent: null } });

  const page = await openPage(browser, server.url, tokens.ops);
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("link", { name: /^web/ }).click();
  const steps = page.getByRole("list", { name: "What happened" }).getByRole("listitem");
  await steps.first().waitFor();
  expect(await steps.allInnerTexts()).toEqual([
    expect.stringMatching(/pay to: ACME, amount: 5[\s\S]*answered, not run yet[\s\S]*as agreed/),
    expect.stringMatching(/pay to: Emma, amount: 5[\s\S]*waits for an answer[\s\S]*answer it/),
  ]);
  await page.getByRole("link", { name: "answer it" }).click();
  await page
    .getByRole("button", { name: /Approve/ })
    .first()
    .waitFor();
});

test("sessions are chosen by the folder that their calls touched: over HTTP, in the terminal, and on the page", async () => {
  const { place, tokens, server } = await world();
  const call = { tool: "pay", arguments: { to: "invoices/2026/acme.txt", amount: 1 }, sessionId: "letters" };
  await server.ask("POST", "/calls", call);

  const { body } = await server.ask("GET", "/stories?text=invoices%2F");
  expect(body).toMatchObject({ stories: [{ session: "letters", calls: 1 }] });
  expect((await server.ask("GET", "/calls?text=acme.txt%2F")).body).toMatchObject({
    calls: [{ sessionId: "letters" }],
  });
  const listed = await place.run(["sessions", "list", "plan.yaml", "--text", "invoices/", "--json"]);
  expect(listed.json()).toMatchObject({ ofClients: [{ session: "letters" }] });
  const page = await openPage(browser, server.url, tokens.ops);
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("link", { name: /^web/ }).waitFor();
  await page.getByLabel("text of its calls").fill("invoices/");
  await page.getByLabel("text of its calls").press("Enter");
  const found = page.getByRole("list", { name: "Sessions with such calls" });
  await found.getByRole("link", { name: /^letters/ }).waitFor();
  expect(await found.getByRole("link").count()).toBe(1);
  // In a day that is over, no call of these began.
  await page.getByLabel("began before").fill("2026-01-02T10:20");
  await page.getByText("No session has calls with these filters.").waitFor();
  await page.getByLabel("began at or after").fill("2026-01-02T10:00");
  await page.getByLabel("began before").fill("");
  await found.getByRole("link", { name: /^letters/ }).waitFor();
});

test("an approved call is run by the command, in another process, and its story says by whom", async () => {
  const { place, server } = await world();
  const { answered } = (await server.ask("GET", "/approvals")).body as never as {
    answered: readonly { readonly id: string }[];
  };
  const run = () => place.run(["approvals", "run", answered[0]!.id.slice(0, 12), "plan.yaml", "--by", "ada"]);

  const first = await run();
  expect([first.code, first.stdout.trim()]).toEqual([0, "pay: ok"]);
  expect((await run()).code).not.toBe(0);
  const story = (await server.ask("GET", "/sessions/web/story")).body as never as Story;
  expect(says(story)[0]).toEqual([
    "to: ACME, amount: 5",
    expect.stringMatching(/^approved by \w+, run by ada; ran$/),
  ]);
});

test("a question has the person's earlier answers as text, and the session so far", async () => {
  const { tokens, server } = await world();
  const page = await openPage(browser, server.url, tokens.ops);
  await page.getByRole("heading", { name: /Emma/ }).waitFor();

  await page
    .getByText(/You answered 1 question of pay before: 1 approved, 0 denied\. The last one: .*ACME/)
    .waitFor();
  await page.getByText("The session so far").click();
  const story = page.getByRole("list", { name: "What happened" });
  await story.getByText("its caller has not run it yet").waitFor();
  expect(await story.getByRole("link", { name: "run it now" }).count()).toBe(1);
});
