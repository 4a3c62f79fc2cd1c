import { expect, test } from "vitest";
import { call, response, say, tool, world } from "../support/world.ts";

const contents = (request: { readonly input: readonly Readonly<Record<string, unknown>>[] } | undefined) =>
  request!.input.filter(({ role }) => role === "user").map(({ content }) => content);

/** A session of three turns, and answers for more. */
async function threeTurns(settings = {}) {
  const made = await world(() => response([say("ok")], { usage: { input_tokens: 100, output_tokens: 1 } }), {
    settings,
  });
  for (const prompt of ["one", "two", "three"]) await made.run(prompt);
  return made;
}

test("a session goes back by turns, again and again, and its log keeps them", async () => {
  const { reasoner, host, run, requests, store } = await threeTurns();
  expect(await reasoner.rewind(host, "s", 1)).toMatchObject({ turns: 2 });
  await run("instead of three");
  expect(contents(requests.at(-1))).toEqual(["one", "two", "instead of three"]);

  await reasoner.rewind(host, "s", 2);
  await run("instead of two");
  expect(contents(requests.at(-1))).toEqual(["one", "instead of two"]);
  expect(JSON.stringify(await store.sessions.entries("s"))).toContain("three");
  await expect(reasoner.rewind(host, "s", 3)).rejects.toMatchObject({ code: "OPTION_INVALID" });
  await expect(reasoner.rewind(host, "s", 0)).resolves.toMatchObject({ turns: 2 });
  await expect(reasoner.rewind(host, "s", 0, "eve")).rejects.toMatchObject({ code: "SESSION_NOT_FOUND" });
});

test("a fork may begin after any turn, also where a compaction left that turn out", async () => {
  const settings = { compaction: 90, keepTurns: 1, summary: false };
  const { reasoner, host, requests } = await threeTurns(settings);
  await reasoner.fork(host, "s", "copy", undefined, 1);
  await reasoner.run(host, { sessionId: "copy", prompt: "other" });
  expect(contents(requests.at(-1))).toEqual(["one", "other"]);
  await expect(reasoner.fork(host, "s", "more", undefined, 9)).rejects.toThrow("has 3 turns");
});

test("an open turn cannot be removed", async () => {
  const write = tool("write", () => 1, { requiresConfirmation: true });
  const { reasoner, host, run } = await world([response([call("c", "write")])], {
    tools: [write],
    host: { approver: () => ({ decision: "later" }) },
  });
  expect(await run("write")).toMatchObject({ status: "paused" });
  await expect(reasoner.rewind(host, "s", 1)).rejects.toMatchObject({
    code: "SESSION_CONFLICT",
    message: expect.stringContaining("end it with toolmount sessions resume s --cancel") as string,
  });
});
