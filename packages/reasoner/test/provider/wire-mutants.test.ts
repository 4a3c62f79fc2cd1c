import { expect, test } from "vitest";
import { written } from "../support/mutants.ts";
import { expectSafeOn, runningOn, wireOf } from "../support/wire-mutants.ts";

const wires = ["chat", "anthropic", "gemini"] as const;

test.each(wires)("the recorded stream of %s runs both calls as the model wrote them", async (name) => {
  const { model, events } = await wireOf(name);
  const calls = await runningOn(model, events);
  expect(calls.map(({ name: tool, arguments: text }) => [tool, JSON.parse(text)])).toEqual(
    Object.entries(written).map(([tool, text]) => [tool, JSON.parse(text)]),
  );
});

test.each(wires)(
  "of 300 mutants of a stream of %s, each runs a tool only with what the model wrote",
  async (name) => {
    expect.hasAssertions();
    const wire = await wireOf(name);
    for (let seed = 1; seed <= 300; seed++) await expectSafeOn(wire, seed);
  },
);

test("a block that begins after its arguments does not run its tool with none", async () => {
  const { model, events } = await wireOf("anthropic");
  const at = events.findIndex(({ type }) => type === "content_block_start");
  expect(await runningOn(model, events.toSpliced(at, 1).toSpliced(at + 3, 0, events[at]!))).toEqual([]);
});

test.each([{ parameters: { only: "*.tmp" } }, { args: [1] }])(
  "a call of Gemini whose arguments are %j does not run",
  async (given) => {
    const { model, events } = await wireOf("gemini");
    const parts = [{ functionCall: { name: "clean", ...given } }];
    const candidates = [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }];
    expect(await runningOn(model, [{ ...events[0], candidates }])).toEqual([]);
  },
);

test.each([{}, { args: {} }, { args: null }])(
  "a call of Gemini without arguments, as %j, runs",
  async (given) => {
    const { model, events } = await wireOf("gemini");
    const parts = [{ functionCall: { name: "clean", ...given } }];
    const candidates = [{ content: { role: "model", parts }, finishReason: "STOP", index: 0 }];
    expect(await runningOn(model, [{ ...events[0], candidates }])).toMatchObject([
      { name: "clean", arguments: "{}" },
    ]);
  },
);
