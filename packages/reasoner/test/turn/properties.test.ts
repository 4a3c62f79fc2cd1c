import fc from "fast-check";
import { expect, test } from "vitest";
import { isMatched } from "../../src/turn/compaction.ts";
import { keptItems, readFunctionCall, type Item } from "../../src/provider/items.ts";
import { entrySchema, type SessionEntry } from "../../src/session/entry.ts";
import { fold } from "../../src/session/fold.ts";
import { createView, type SessionView } from "../../src/session/view.ts";
import { noUsage } from "../../src/provider/usage.ts";

const item = fc.oneof(
  fc.record({
    type: fc.constant("function_call"),
    call_id: fc.oneof(fc.constantFrom("a", "b", ""), fc.constant(null)),
    name: fc.string(),
    arguments: fc.string(),
  }),
  fc.record({ type: fc.constant("reasoning"), encrypted_content: fc.constantFrom("sealed", "", null) }),
  fc.record({ type: fc.constant("message"), role: fc.constant("assistant"), content: fc.string() }),
) as fc.Arbitrary<Item>;

test("APTIX-22: whatever an answer has, each call gets an id of its own, and reasoning never stands last", () => {
  fc.assert(
    fc.property(fc.array(item), fc.boolean(), (output, stored) => {
      const kept = keptItems(output, stored);
      const calls = kept.map(readFunctionCall).filter((call) => call !== null);

      expect(calls).toHaveLength(output.filter(({ type }) => type === "function_call").length);
      expect(new Set(calls.map(({ callId }) => callId)).size).toBe(calls.length);
      expect(kept.at(-1)?.["type"]).not.toBe("reasoning");
    }),
  );
});

/** The log of turns whose calls end in any order, as a process writes it. */
const log = fc
  .array(fc.record({ calls: fc.integer({ min: 0, max: 5 }), seed: fc.integer(), ends: fc.boolean() }), {
    maxLength: 4,
  })
  .map((turns) =>
    turns.flatMap(({ calls, seed, ends }, turn): SessionEntry[] => {
      const ids = Array.from({ length: calls }, (_, at) => `t${turn}c${at}`);
      const order = ids.toSorted((a, b) =>
        `${seed}${a}`.length * (seed % 7) + a.length > b.length ? 1 : -1,
      );
      return [
        { kind: "begin", turnId: `t${turn}`, traceparent: "", prompt: `prompt ${turn}` },
        {
          kind: "answer",
          items: ids.map((id) => ({ type: "function_call", call_id: id, name: "x", arguments: "{}" })),
          responseId: null,
          usage: noUsage,
          inputTokens: 0,
        },
        { kind: "started", group: "g", callIds: ids },
        ...order.map((callId): SessionEntry => ({
          kind: "output",
          callId,
          item: { type: "function_call_output", call_id: callId, output: "ok" },
          status: "ok",
        })),
        ...(ends || turn < turns.length - 1
          ? [{ kind: "end" as const, status: "done" as const, text: "", state: {} }]
          : []),
      ];
    }),
  );

function viewOf(entries: readonly SessionEntry[]): SessionView {
  const view = createView();
  for (const entry of entries) fold(view, entrySchema.parse(JSON.parse(JSON.stringify(entry))));
  return view;
}

test("APTIX-22: cut off anywhere, a log never shows an output without its call, and outputs stand in the order of calls", () => {
  fc.assert(
    fc.property(log, fc.nat(), (entries, cut) => {
      const view = viewOf(entries.slice(0, cut % (entries.length + 1)));
      const ids = (type: string) =>
        view.items.filter((one) => one["type"] === type).map((one) => one["call_id"]);
      const answered = ids("function_call_output");

      expect(answered).toEqual(ids("function_call").slice(0, answered.length));
      expect(isMatched(view.items)).toBe((view.turn?.calls ?? []).length === 0);
    }),
  );
});

test("a view that continues after a cut is the view of the whole log", () => {
  fc.assert(
    fc.property(log, fc.nat(), (entries, cut) => {
      const at = cut % (entries.length + 1);
      const view = viewOf(entries.slice(0, at));
      for (const entry of entries.slice(at)) fold(view, entry);

      expect(view).toEqual(viewOf(entries));
    }),
  );
});
