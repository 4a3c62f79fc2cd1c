import { expect, test } from "vitest";
import type { Item } from "../../src/provider/items.ts";
import { readResponse } from "../../src/provider/response.ts";
import {
  answer,
  callsOf,
  expectSafe,
  expectWritten,
  place,
  recorded,
  running,
  written,
} from "../support/mutants.ts";

test("the recorded stream runs both calls as the model wrote them", async () => {
  const calls = await running(recorded());
  expect(calls.map(({ name, arguments: text }) => [name, text])).toEqual(Object.entries(written));
});

const only = '{"only":"*.tmp"}';
const bare = { type: "function_call", id: "fc_0", call_id: "call_0", name: "clean" };

test.each<[string, Item, readonly Item[], boolean]>([
  ["as an object", { ...bare, arguments: JSON.parse(only) as Item }, [], true],
  ["under the name of input", { ...bare, input: JSON.parse(only) as Item }, [], false],
  ["under the name of parameters, as a text", { ...bare, parameters: only, arguments: "" }, [], false],
  ["in a function", { ...bare, function: { name: "clean", arguments: only } }, [], false],
  ["as a list", { ...bare, arguments: [only] }, [], false],
  ["not at all", bare, [], false],
  [
    "in pieces only",
    { ...bare, arguments: "" },
    [only.slice(0, 4), only.slice(4)].map((delta) => ({
      type: "response.function_call_arguments.delta",
      item_id: "fc_0",
      delta,
    })),
    true,
  ],
  [
    "in an event of another name",
    { ...bare, arguments: "" },
    [{ type: "response.tool_call_arguments.done", item_id: "fc_0", arguments: only }],
    true,
  ],
  [
    "in an event for an unknown item",
    { ...bare, arguments: "" },
    [{ type: "response.function_call_arguments.done", item_id: "other", output_index: 7, arguments: only }],
    false,
  ],
])("a server that sends the arguments %s never runs the tool with none", async (_, item, events, runs) => {
  const begin = { type: "response.output_item.added", output_index: 0, item: { ...bare, arguments: "" } };
  const end = { type: "response.completed", response: { output: [item] } };
  const streamed = await running([
    begin,
    ...events,
    { type: "response.output_item.done", output_index: 0, item },
    end,
  ]);
  expectWritten(streamed, "streamed");
  expect(streamed).toHaveLength(runs ? 1 : 0);
  if (events.length > 0) return;
  const { items } = readResponse({ output: [item] }, place);
  expect(callsOf(items)).toHaveLength(runs ? 1 : 0);
});

test("two calls of a server that numbers both 0, or none, run both", async () => {
  for (const numbered of [{ output_index: 0 }, {}]) {
    const events = answer.map((item) => ({ type: "response.output_item.done", ...numbered, item }));
    const calls = await running([...events, { type: "response.completed", response: { output: [] } }]);
    expect(calls).toHaveLength(2);
    expectWritten(calls, "numbered");
  }
});

test("of 600 mutants of a recorded stream, each runs a tool only with what the model wrote", async () => {
  for (let seed = 1; seed <= 600; seed++) await expectSafe(seed);
});
