import { AxeBuilder } from "@axe-core/playwright";
import { changedSince, data, defineTool, type Host, type Json } from "@toolmount/core";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startBrowser } from "./support/browser.ts";
import { live, openPage } from "./support/page.ts";
import { createWorld, serve } from "./support/world.ts";

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const kept = z.strictObject({ key: z.string(), before: z.string().nullable(), after: z.string() });

/** Mounts a tool that sets a note, previews that and undoes it, and one that cannot be undone. */
function mountNotes(host: Host): Map<string, string> {
  const notes = new Map<string, string>();
  const base = { consequenceLevel: "low", requiresConfirmation: false } as const;
  const note = defineTool({
    ...base,
    name: "note",
    description: "Sets a note. Use in tests.",
    category: "write",
    control: ["key"],
    schema: z.strictObject({ key: z.string(), text: z.string() }),
    preview: ({ key, text }) => ({
      effects: [{ target: key, change: "change" as const, difference: `-${notes.get(key)}\n+${text}` }],
      result: data(text),
    }),
    execute: async ({ key, text }, { undoable }) => {
      await undoable?.({ key, before: notes.get(key) ?? null, after: text });
      notes.set(key, text);
      return data(text);
    },
    difference: async (changes) => {
      const first = new Map(
        changes.map(({ data: given }) => [kept.parse(given).key, kept.parse(given).before]),
      );
      return [...first].map(([target, before]) => ({
        target,
        change: before === null ? ("create" as const) : ("change" as const),
        difference: `+${notes.get(target)}`,
      }));
    },
    undo({ data: given }) {
      const { key, before, after } = kept.parse(given);
      if (notes.get(key) !== after) return changedSince("the note has another text now");
      if (before === null) notes.delete(key);
      else notes.set(key, before);
      return data(before as Json);
    },
  });
  const mail = defineTool({
    ...base,
    name: "mail",
    description: "Sends. Use in tests.",
    category: "side_effect",
    irreversible: true,
    schema: z.strictObject({}),
    execute: () => data("sent"),
  });
  for (const tool of [note, mail]) host.coordinator.mount("tools", tool);
  return notes;
}

async function worked() {
  const { host } = createWorld();
  const notes = mountNotes(host);
  const served = await serve(host);
  const session = host.session("s");
  const set = (key: string, text: string) => session.call({ name: "note", arguments: { key, text } });
  await set("a", "one");
  await session.call({ name: "mail" });
  await set("a", "two");
  await set("b", "three");
  return { ...served, host, notes };
}

const path = "/api/v1/hosts/default/sessions/s";

test("changes are listed and undone over HTTP, each once, also by two at the same time", async () => {
  const { ask, notes } = await worked();
  const { body } = await ask("GET", `${path}/changes`);
  expect(body["changes"]).toMatchObject([
    { number: 1, tool: "note", arguments: { key: "a" }, isUndone: false },
    { number: 2, tool: "mail", irreversible: 'what "mail" does cannot be undone' },
    { number: 3 },
    { number: 4 },
  ]);
  expect(body["difference"]).toEqual({
    effects: [
      { target: "b", change: "create", difference: "+three" },
      { target: "a", change: "create", difference: "+two" },
    ],
    unknown: [expect.objectContaining({ tool: "mail" })],
  });
  expect(await ask("POST", `${path}/undo`, { body: { after: 3 } })).toMatchObject({
    status: 200,
    body: { undone: [{ number: 4, isUndone: true }], stopped: null },
  });
  const both = await Promise.all([1, 2].map(() => ask("POST", `${path}/undo`, { body: {} })));
  expect(both.map((one) => one.body)).toMatchObject([
    { stopped: null, irreversible: [{ number: 2 }] },
    { stopped: null },
  ]);
  expect(notes.size).toBe(0);
});

test("an undo stops where something else changed, and says so", async () => {
  const { ask, notes } = await worked();
  notes.set("a", "other");
  expect((await ask("POST", `${path}/undo`, { body: {} })).body).toMatchObject({
    undone: [{ number: 4 }],
    stopped: { change: { number: 3 }, outcome: { result: { code: "CHANGED_SINCE" } } },
    left: [{ number: 1 }],
  });
});

test("a token of a user neither sees nor undoes what is not that user's, and one that only looks undoes nothing", async () => {
  const { ask, notes } = await worked();
  const asAna = { as: "ana" } as const;
  expect((await ask("GET", `${path}/changes`, asAna)).body).toEqual({
    changes: [],
    difference: { effects: [], unknown: [] },
  });
  const { body } = await ask("POST", `${path}/undo`, { ...asAna, body: {} });
  expect(body).toMatchObject({ undone: [], stopped: null });
  expect(notes.size).toBe(2);
});

test("a token of a user lists and undoes what its own calls changed, in a session without a model, too", async () => {
  const { host, ask } = await worked();
  const set = { tool: "note", sessionId: "s", arguments: { key: "c", text: "four" } };
  await ask("POST", "/api/v1/hosts/default/calls", { as: "ana", body: set });
  const changed = { changes: [expect.objectContaining({ tool: "note", isUndone: false })] };

  for (const session of ["s", "ana:s"])
    expect(
      (await ask("GET", `/api/v1/hosts/default/sessions/${session}/changes`, { as: "ana" })).body,
    ).toMatchObject(changed);
  expect((await ask("GET", "/api/v1/hosts/default/sessions/ana:s/changes")).body).toMatchObject(changed);
  expect((await ask("POST", `${path}/undo`, { as: "ana", body: {} })).body).toMatchObject({
    undone: [{ number: 1 }],
  });
  expect(await host.session("s").changes()).toHaveLength(4);
});

test("a person sees what a session changed, undoes back to a change, and then the rest", async () => {
  const { server, tokens, notes } = await worked();
  const { page, problems } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.goto(`${server.url}/#/sessions/s`);
  const changes = page.getByRole("region", { name: "Changes" });
  await changes.getByText("cannot be undone", { exact: true }).waitFor();
  const whole = changes.getByRole("group", { name: "As one difference" });
  expect(await whole.getByLabel("Difference of a").innerText()).toBe("+two");
  await whole.getByText("What 1 change made different is not known.").waitFor();
  expect((await new AxeBuilder({ page }).setLegacyMode().analyze()).violations).toEqual([]);

  await changes.getByRole("listitem").filter({ hasText: '"a"' }).first().getByRole("button").click();
  await changes.getByText("2 changes of this session and its agents will be undone").waitFor();
  await changes.getByRole("button", { name: "Undo 2 changes" }).click();
  await page.getByText("2 changes undone.").waitFor();
  expect([...notes]).toEqual([["a", "one"]]);

  await changes.getByRole("button", { name: "Undo all…" }).click();
  await changes.getByText("1 change cannot be undone, and will stay.").waitFor();
  await changes.getByRole("button", { name: "Undo 1 change" }).click();
  await page.getByText("1 change undone.").waitFor();
  expect(notes.size).toBe(0);
  expect(problems).toEqual([]);
});

test("a person rehearses a call in the form of its tool: the page shows the difference, and nothing changes", async () => {
  const { server, tokens, notes } = await worked();
  const { page } = await openPage(browser, server.url, tokens.operator);
  await live(page);
  await page.getByRole("link", { name: "Try a tool" }).click();
  await page.getByRole("combobox", { name: /^Tool/ }).selectOption("note");
  await page.getByLabel("key").fill("a");
  await page.getByLabel("text").fill("three");
  await page.getByRole("button", { name: "Rehearse" }).click();
  const shown = page.getByRole("region", { name: "Rehearsal" });
  expect(await shown.getByLabel("Difference of a").innerText()).toBe("-two\n+three");
  await shown.getByText("It can be undone.").waitFor();
  expect(notes.get("a")).toBe("two");
});
