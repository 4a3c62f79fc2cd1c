import { expect, test } from "vitest";
import { keptItems } from "../../src/provider/items.ts";

test("a call without arguments has empty ones, and a call of a custom tool has none", () => {
  const [call, custom] = keptItems(
    [
      { type: "function_call", call_id: "a", name: "look" },
      { type: "custom_tool_call", call_id: "b", name: "write", input: "text" },
    ],
    true,
  );

  expect(call).toEqual({ type: "function_call", call_id: "a", name: "look", arguments: "" });
  expect(custom).toEqual({ type: "custom_tool_call", call_id: "b", name: "write", input: "text" });
});

test("a call whose id was used before, is empty, or is no text gets one of its own", () => {
  const calls = ["a", "a", "", 7, "taken"].map((call_id) => ({ type: "function_call", call_id }));
  const ids = keptItems(calls, true, ["taken"]).map(({ call_id: id }) => id);

  expect(ids[0]).toBe("a");
  expect(ids.slice(1)).toEqual(Array.from({ length: 4 }, () => expect.stringMatching(/^call_[0-9a-f]{32}$/)));
  expect(new Set(ids).size).toBe(5);
});

test("the ids of a server that stores nothing are removed, and those of one that stores stay", () => {
  const items = [
    { type: "message", id: "m", status: "completed", role: "assistant" },
    { type: "function_call", id: "f", status: "completed", call_id: "a", arguments: "{}" },
  ];

  expect(keptItems(items, true)).toEqual(items);
  expect(keptItems(items, false)).toEqual([
    { type: "message", role: "assistant" },
    { type: "function_call", call_id: "a", arguments: "{}" },
  ]);
});
