import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ToolOutcome } from "@toolmount/core";
import { outcomeText } from "@toolmount/reasoner";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startBrowser } from "../../../page/test/support/browser.ts";
import { openPage, windows } from "../support/browser.ts";
import { driftedWorld, operatorFolder, operatorWorld, standingWorld } from "../support/operator-world.ts";
import { startServer } from "../support/served.ts";
import { serverGroup } from "../support/server-group.ts";
import { root } from "../support/workspace.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const prompt = "Set the version to 2.0.0 and deploy it.";

/** The question that is shown, with its answers. */
const pane = (page: Page) => page.locator(".pane");

/** Opens the question of a tool, and approves it with a key: a click right after it appeared would not count. */
async function approve(page: Page, tool: string): Promise<void> {
  await openQuestion(page, tool);
  await pane(page).getByRole("button", { name: "Approve once" }).press("Enter");
  await pane(page).getByText("approved by you").waitFor();
}

async function openQuestion(page: Page, tool: string): Promise<void> {
  const waiting = page.getByRole("region", { name: "Waiting" });
  await waiting.getByRole("link").filter({ hasText: tool }).filter({ hasNotText: "by you" }).click();
  await pane(page).locator(".meta").getByText(tool).waitFor();
}

test("an operator follows a turn: it asks twice, runs on when it is answered, and its calls are on the page", async () => {
  const { server, tokens, read } = await operatorWorld();
  const page = await openPage(browser, server.url, tokens.ops);
  const turn = server.ask("POST", "/turns", { prompt, sessionId: "release", waitMs: 300_000 });

  await openQuestion(page, "edit_file");
  const card = page.getByRole("article", { name: /notes\.md/ });
  await card.getByText("the release notes are reviewed").waitFor();
  const before = page.getByRole("region", { name: "Before this" });
  await before.getByText(prompt).waitFor();
  await before.getByText("I read the notes first.").waitFor();
  const [, line = ""] = /mount-plan\.yaml:(\d+):/.exec(await card.innerText()) ?? [];
  expect((await read("mount-plan.yaml")).split("\n")[Number(line) - 1]).toContain("tool: edit_file");
  expect(await card.getByLabel("Difference", { exact: true }).innerText()).toBe(
    "- version: 1.9.0\n+ version: 2.0.0",
  );
  expect(await read("notes.md")).toContain("1.9.0");
  await approve(page, "edit_file");
  await approve(page, "deploy");

  expect((await turn).body).toMatchObject({
    status: "done",
    result: { text: "The version is 2.0.0, and it is deployed.", calls: 3 },
  });
  expect(await read("notes.md")).toContain("2.0.0");

  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("link", { name: prompt }).click();
  const session = page.getByRole("region", { name: "Session" });
  await session.getByText("Turn 1:").waitFor();
  await session.getByLabel("Output of deploy").getByText("deployed to production").waitFor();
  expect(await session.innerText()).toMatch(/4 requests · \d+ tokens, 0\.00\d+ USD/);
  await session.getByRole("link", { name: "deploy" }).click();

  const call = page.getByRole("region", { name: "Call", exact: true });
  await call.getByText("approval:granted").waitFor();
  await call.getByText("tool:progress").waitFor();
  await call.getByText("Audit", { exact: true }).click();
  await call.getByLabel("Audit record").first().waitFor();
  expect(await call.innerText()).toMatch(/trace\s+00-[0-9a-f]{32}/);
});

test("a turn that waits in another process continues when it is approved in the browser, also after a restart of the page's server", async () => {
  const desk = await operatorFolder();
  const { tokens } = desk;
  const first = await startServer(desk, tokens);
  const other = await startServer(desk, tokens);
  const page = await openPage(browser, first.url, tokens.ops);
  const turn = other.ask("POST", "/turns", { prompt, sessionId: "release", waitMs: 300_000 });
  await approve(page, "edit_file");

  first.child.kill("SIGTERM");
  expect((await first.ended).code).toBe(0);
  await page.getByText("it is not known what waits").waitFor();
  expect(await page.getByText("Nothing waits").count()).toBe(0);
  await startServer(desk, tokens, [], { address: new URL(first.url).host });
  await approve(page, "deploy");

  expect((await turn).body).toMatchObject({ status: "done", result: { calls: 3 } });
  await page.getByText("Nothing waits for an answer.").waitFor();
});

test("a person runs a turn, cancels it while it waits, copies the session, and sees the agent of another turn", async () => {
  const { server, tokens, read } = await operatorWorld();
  const page = await openPage(browser, server.url, tokens.ops);
  await page.getByText(`${server.url}/mcp`, { exact: true }).waitFor();
  await page.getByRole("link", { name: "Ask the model" }).click();
  await page.getByLabel("Ask the model, in a new session").fill(prompt);
  await page.getByRole("button", { name: "Run a turn" }).click();
  const log = page.getByRole("log");
  await log.getByText("It waits for an answer in the inbox.").waitFor();
  expect(await log.innerText()).toMatch(/I read the notes first\.\s+→ read_file .*\s+← read_file: ok/);
  const session = page.getByRole("region", { name: "Session" });
  await session.getByText("edit_file waits for approval").waitFor();

  await session.getByRole("button", { name: "Cancel the turn" }).click();
  await session.locator(".status.cancelled").first().waitFor();
  await page.getByRole("link", { name: /^Inbox/ }).click();
  await page.getByText("Nothing waits for an answer.").waitFor();
  expect(await read("notes.md")).toContain("1.9.0");

  const { body } = await server.ask("POST", "/turns", {
    prompt: "Ask the reader what the notes say.",
    waitMs: 60_000,
  });
  expect(body).toMatchObject({ status: "done", result: { calls: 2 } });
  await page.getByRole("link", { name: "Sessions" }).click();
  const tree = page.locator(".tree .tree");
  await tree.getByText("agent reader").waitFor();
  await page.getByRole("link", { name: "Ask the reader what the notes say." }).click();
  await session.getByRole("button", { name: "Fork" }).click();
  await session.getByText(`a copy of ${String(body["sessionId"])}`).waitFor();
  await session.getByText("Turn 1: Ask the reader").waitFor();
});

test("a person adds a message to a turn that waits, and after the answer the model reads it; a stopped turn is corrected", async () => {
  const { server, tokens } = await operatorWorld();
  const page = await openPage(browser, server.url, tokens.ops);
  await server.ask("POST", "/turns", { prompt, sessionId: "s" });
  await openQuestion(page, "edit_file");
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("link", { name: prompt }).click();
  const session = page.getByRole("region", { name: "Session" });
  await session.getByLabel("Add to the turn that is open").fill("Do not deploy it.");
  await session.getByRole("button", { name: "Add" }).click();
  await page.getByText("The model reads it with its next request.").waitFor();
  await page.getByRole("link", { name: /^Inbox/ }).click();
  await approve(page, "edit_file");
  await page.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("link", { name: prompt }).click();
  await session.getByText("There is no script for: Do not deploy it.").waitFor();

  await session.getByLabel("Ask again").fill(prompt);
  await session.getByRole("button", { name: "Run a turn" }).click();
  await session.getByText("edit_file waits for approval").waitFor();
  await session.getByRole("button", { name: "Cancel the turn" }).click();
  await session.getByLabel("Ask again").fill("Leave it as it is.");
  await session.getByRole("button", { name: "Run a turn" }).click();
  await session.getByText("There is no script for: Leave it as it is.").first().waitFor();
  expect((await server.ask("GET", "/sessions/s")).body).toMatchObject({ turns: 3, status: "done" });
});

test("the plan shows what failed and why, what sleeps, what changed since the lock, and what a reload did; a tool is tried as a model reads it", async () => {
  const world = await driftedWorld();
  const { server, tokens, read, write } = world;
  if (process.env["TOOLMOUNT_WRITE"] === "1") await takePictures(world);
  const page = await openPage(browser, server.url, tokens.ops);
  await page.getByRole("link", { name: "Plan" }).click();
  const missing = page.locator("tbody").filter({ hasText: "missing.ts" });
  await missing.getByText("failed").first().waitFor();
  expect(await missing.innerText()).toMatch(/SOURCE_NOT_FOUND.* mount-plan\.yaml:18/);
  const archive = page.locator("tbody").filter({ hasText: "archive_read_file" });
  await archive.getByText("sleeping", { exact: true }).waitFor();
  const drift = page.getByRole("region", { name: "Drift of weather" });
  expect(await drift.innerText()).toMatch(/description\s+- Reads the weather.*before a trip\.\s+\+ Reads/);
  await page.getByRole("button", { name: "Why edit_file?" }).click();
  const why = page.getByRole("region", { name: "Why edit_file" });
  await why.getByText("decides: ask").waitFor();
  expect(await why.innerText()).toMatch(/mount-plan\.yaml:\d+/);

  const plan = await read("mount-plan.yaml");
  await write("mount-plan.yaml", plan.replace("module: ./missing.ts", "modul: ./missing.ts"));
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByText("The plan is as it was:").waitFor();
  await write("mount-plan.yaml", plan.replace("  - module: delegate\n", ""));
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByText(/Generation 2\. .*removed: delegate/).waitFor();
  const woken = { tool: "archive_read_file", arguments: { file_path: "notes.md" } };
  expect((await server.ask("POST", "/calls", woken)).body).toMatchObject({ status: "ok" });
  await page.getByRole("button", { name: "Reload" }).click();
  await page.getByText(/Generation 3\./).waitFor();
  await archive.getByText("mounted", { exact: true }).waitFor();

  await page.getByRole("link", { name: "Try a tool" }).click();
  await page.getByRole("combobox", { name: /^Tool/ }).selectOption("read_file");
  await page.getByLabel("file_path").fill("notes.md");
  await page.getByRole("button", { name: "Call read_file" }).click();
  const shown = page.getByRole("region", { name: "Outcome" });
  await shown.getByText("ok").first().waitFor();
  const call = { tool: "read_file", arguments: { file_path: "notes.md" } };
  const { body } = await server.ask("POST", "/calls", call);
  const text = await shown.getByLabel("As a model reads it").textContent();
  expect(text).toBe(outcomeText(body as unknown as ToolOutcome, "hook"));

  await page.getByRole("combobox", { name: /^Tool/ }).selectOption("deploy");
  await page.getByRole("combobox", { name: /^target/ }).selectOption("staging");
  await page.getByRole("button", { name: "Call deploy" }).click();
  await shown.getByText("It waits for an answer in the").waitFor();
  await shown.getByRole("link", { name: "Inbox" }).click();
  await openQuestion(page, "deploy");
  await pane(page).getByLabel("Reason").fill("not before the review");
  await pane(page).getByLabel("Reason").press("Enter");
  await pane(page).getByText("denied by you").waitFor();
  await page.getByRole("link", { name: "Try a tool" }).click();
  await shown.getByRole("button", { name: "Resume" }).click();
  await shown.getByText("denied").first().waitFor();
  expect(await shown.getByLabel("As a model reads it").textContent()).toMatch(
    /^Error: the call was not approved: .*not before the review.* \[DENIED\]$/,
  );
});

/** Takes the pictures of the page: each view at a desk and on a phone, light and dark. */
async function takePictures({ server, tokens }: Awaited<ReturnType<typeof driftedWorld>>): Promise<void> {
  for (const window of windows) await photographInbox(server.url, tokens.ops, window, "first-day");
  const first = await openPage(browser, server.url, tokens.ops);
  const release = { prompt, sessionId: "release", userId: "ana", waitMs: 300_000 };
  const turn = server.ask("POST", "/turns", release);
  await server.ask("POST", "/turns", {
    prompt: "Ask the reader what the notes say.",
    sessionId: "report",
    waitMs: 60_000,
  });
  for (let at = 0; at < 30; at++) {
    const tool = at % 9 === 4 ? "weather" : "read_file";
    const given =
      tool === "weather" ? { city: "Oslo" } : { file_path: at % 7 === 3 ? "gone.md" : "notes.md" };
    await server.ask("POST", "/calls", { tool, arguments: given, sessionId: `check-${at % 3}` });
  }
  await first.getByRole("article", { name: /notes\.md/ }).waitFor();
  for (const window of windows) await photograph(server.url, tokens.ops, window);
  await approve(first, "edit_file");
  await approve(first, "deploy");
  await turn;
  const change = (from: string, to: string) => ({
    tool: "edit_file",
    arguments: { file_path: "notes.md", old_string: from, new_string: to },
  });
  await server.ask("POST", "/rehearsals", {
    sessionId: "next",
    userId: "ana",
    calls: [
      change("version: 2.0.0", "version: 2.1.0"),
      change("checked by hand", "checked by a machine"),
      { tool: "deploy", arguments: { target: "staging" } },
    ],
    ask: true,
  });
  for (const window of windows) await photographList(server.url, tokens.ops, window);
  const office = await standingWorld();
  await answerFromNowOn(office.server);
  for (const window of windows)
    await photographInbox(office.server.url, office.tokens.ops, window, "standing");
}

/** Answers two calls from now on, for a day and for a session, and makes calls that these answer. */
async function answerFromNowOn({ ask }: Awaited<ReturnType<typeof standingWorld>>["server"]): Promise<void> {
  const call = (tool: string, given: object) =>
    ask("POST", "/calls", { tool, arguments: given, sessionId: "month-end", userId: "ana" });
  const answer = async (remember: object) => {
    const { waiting } = (await ask("GET", "/approvals")).body as { waiting: { readonly id: string }[] };
    const decision = { decision: "approve", remember };
    await ask("POST", `/approvals/${waiting[0]!.id}/decision`, decision);
  };
  await call("pay", { to: "ACME", amount: 1299 });
  await answer({ scope: "rule", arguments: { to: "ACME" }, forMs: 86_400_000 });
  await call("send_report", { to: "board@example.com" });
  await answer({ scope: "session" });
  for (const amount of [80, 95]) await call("pay", { to: "ACME", amount });
}

/** Takes a picture of an inbox in which nothing waits. */
async function photographInbox(
  url: string,
  token: string,
  window: (typeof windows)[number],
  view: string,
): Promise<void> {
  const folder = join(root, "docs/pictures/page");
  await mkdir(folder, { recursive: true });
  const page = await openPage(browser, url, token, window);
  await page.getByText("Nothing waits for an answer.").waitFor();
  await page.screenshot({ path: join(folder, `${view}-${window.name}.png`) });
  await page.context().close();
}

/** Takes a picture of the list of a rehearsal. */
async function photographList(url: string, token: string, window: (typeof windows)[number]): Promise<void> {
  const page = await openPage(browser, url, token, window);
  await page.getByRole("link", { name: /Make 3 calls/ }).click();
  await pane(page).getByRole("button", { name: "Only up to here" }).nth(1).press("Enter");
  await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  await pane(page)
    .locator(".question")
    .evaluate((question) => question.scrollTo(0, 0));
  await page.screenshot({ path: join(root, `docs/pictures/page/list-${window.name}.png`) });
  await page.context().close();
}

/** Takes a picture of each view. */
async function photograph(url: string, token: string, window: (typeof windows)[number]): Promise<void> {
  const folder = join(root, "docs/pictures/page");
  await mkdir(folder, { recursive: true });
  const page = await openPage(browser, url, token, window);
  const nav = page.getByRole("navigation");
  const shoot = (view: string) => page.screenshot({ path: join(folder, `${view}-${window.name}.png`) });
  await openQuestion(page, "edit_file");
  await page.getByRole("region", { name: "Before this" }).waitFor();
  await page.locator("[data-decides]:not([aria-disabled])").waitFor();
  await shoot("inbox");
  await nav.getByRole("link", { name: "Calls" }).click();
  await page
    .getByRole("button", { name: /read_file/ })
    .first()
    .click();
  await page.getByRole("region", { name: "Call", exact: true }).getByText("ended").waitFor();
  await shoot("calls");
  await nav.getByRole("link", { name: "Sessions" }).click();
  await page.getByRole("link", { name: "Ask the reader what the notes say." }).click();
  await page.getByText("Turn 1:").waitFor();
  await shoot("sessions");
  await nav.getByRole("link", { name: "Plan" }).click();
  await page.getByRole("button", { name: "Why edit_file?" }).click();
  await page.getByText("decides: ask").waitFor();
  await page.locator(".status.ask").first().waitFor();
  await shoot("plan");
  await nav.getByRole("link", { name: "Try a tool" }).click();
  await page.getByRole("combobox", { name: /^Tool/ }).selectOption("read_file");
  await page.getByLabel("file_path").fill("notes.md");
  await page.getByRole("button", { name: "Call read_file" }).click();
  await page.getByRole("region", { name: "Outcome" }).waitFor();
  await shoot("try");
  await page.context().close();
}

test("an operator sees the servers of the plan, and which of them has another one", async () => {
  const { start, tokens, place } = await serverGroup("sqlite:./state.db");
  const [one, other] = await Promise.all([start(), start()]);
  const page = await openPage(browser, one.url, tokens.ops);
  await page.goto(`${one.url}/#/plan`);
  const rows = page.getByRole("region", { name: "Servers of this plan" }).locator("tbody tr");
  const shown = async () => {
    await page.reload();
    await page.getByText("generation").first().waitFor();
    return (await rows.allInnerTexts()).map((text) => [text.includes("ready"), text.includes("another one")]);
  };
  const equal = [true, false];
  await expect.poll(shown).toEqual([equal, equal]);
  await rows.filter({ hasText: other.url }).waitFor();

  const written = await place.read("plan.yaml");
  await place.write("plan.yaml", written.replace("  - module: ./look.ts\n", ""));
  other.child.kill("SIGHUP");
  await expect.poll(shown).toEqual(expect.arrayContaining([equal, [true, true]]));
  expect(await rows.filter({ hasText: "another one" }).innerText()).toContain(other.url);
});
