import type { Json } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { suggestFlows, type RecordedSession, type RecordedStep } from "../../src/index.ts";
import { infos, step } from "../recorded-steps.ts";

let count = 0;
const prompt = "Refund it and cancel it, please.";

/** A session that reads, and then acts on these arguments with what a person answered. */
function session(
  value: Json,
  calls: readonly (readonly [tool: string, given: object, outcome: RecordedStep["outcome"]])[],
  words = prompt,
): RecordedSession {
  return {
    id: `session ${++count}`,
    steps: [
      step("list_orders", {}, words, { value }),
      ...calls.map(([tool, given, outcome]) => step(tool, given as never, words, { outcome })),
    ],
  };
}

const approved = (tool: string, order: Json) => [tool, { order }, "approved"] as const;
const orders = [
  { id: "ORDER-11", mail: "ada@x.example", note: "hi" },
  { id: "ORDER-12", mail: "bob@x.example", note: "you" },
];
const others = {
  section: "into",
  line: { match: { tool: ["cancel_order", "open_page"] }, from: ["user"] },
  calls: [],
};

const suggest = async (sessions: readonly RecordedSession[], written?: unknown) =>
  suggestFlows(sessions, await infos(), written);

describe("the lines that are suggested", () => {
  test("for a mail address one approval is enough, and the action need not be named", async () => {
    const asked = session(orders, [approved("refund_order", "bob@x.example")], "Give Bob his money back.");
    const found = await suggest([asked]);
    const call = asked.steps[1]!.id;

    expect(found).toMatchObject({ before: 1, after: 0, fresh: 0 });
    expect(found.lines).toEqual([
      {
        section: "results",
        line: { match: { tool: "list_orders" }, fields: { "*.mail": "contact" } },
        calls: [call],
      },
      {
        section: "into",
        line: { match: { tool: "refund_order" }, from: ["user", "contact"] },
        calls: [call],
      },
      others,
    ]);
    expect([...found.asks]).toEqual([[call, false]]);
  });

  test("two kinds of fields that one call needs stand in one line of results", async () => {
    const both = (at: number) =>
      session(orders, [approved("refund_order", [orders[at]!.id, orders[at]!.mail])], "Refund Ada and Bob.");
    const { lines } = await suggest([both(0), both(1)]);

    expect(lines.slice(0, 2).map(({ line, calls }) => [line, calls.length])).toEqual([
      [{ match: { tool: "list_orders" }, fields: { "*.id": "structured", "*.mail": "contact" } }, 2],
      [{ match: { tool: "refund_order" }, from: ["user", "contact", "structured"], intent: "user" }, 2],
    ]);
  });

  test("tools that need the same share a line, and the tools with more sources come first", async () => {
    const asked = ["refund_order", "cancel_order"].flatMap((tool) =>
      orders.map(({ id }) => session(orders, [approved(tool, id)])),
    );
    const { lines } = await suggest(asked);

    expect(lines.map(({ line }) => line)).toEqual([
      { match: { tool: "list_orders" }, fields: { "*.id": "structured" } },
      { match: { tool: ["cancel_order", "refund_order"] }, from: ["user", "structured"], intent: "user" },
      { match: { tool: "open_page" }, from: ["user"] },
    ]);
  });

  test.each<[string, object, readonly unknown[]]>([
    ["the user's own values", { identity: ["me@x.example"] }, ["user", "identity", "structured"]],
    [
      "results that are the user's own",
      { results: [{ match: { tool: "read_account" }, trust: "identity" }] },
      ["user", "identity", "structured"],
    ],
    [
      "trusted fields",
      { results: [{ match: { tool: "read_mail" }, fields: { "*.a": "trusted" } }] },
      ["user", "trusted", "structured"],
    ],
    [
      "a directory",
      { results: [{ match: { tool: "read_mail" }, fields: { "*.a": "contact" } }] },
      ["user", "contact", "structured"],
    ],
    ["labels of a server", { results: [{ match: {}, trust: "_meta.ifc" }] }, ["user", "structured"]],
  ])("keep %s of the plan", async (_title, written, from) => {
    const both = [0, 1].map((at) => session(orders, [approved("refund_order", orders[at]!.id)]));
    const { lines } = await suggest(both, written);
    const into = lines.filter(({ section }) => section === "into");

    expect(into[0]!.line["from"]).toEqual(from);
    expect(into[1]!.line["from"]).toEqual(from.filter((one) => one !== "structured"));
  });

  test("of a plan whose lines accept values of a service already, the action need not be named", async () => {
    const written = { results: [{ match: { tool: "read_mail" }, fields: { "*.ref": "structured" } }] };
    const both = [0, 1].map((at) => session(orders, [approved("refund_order", orders[at]!.id)]));
    const { lines } = await suggest(both, written);

    expect(lines.find(({ section }) => section === "into")!.line).toEqual({
      match: { tool: ["cancel_order", "open_page", "refund_order"] },
      from: ["user", "structured"],
    });
  });

  test("where the user names the last part of a value, one approval is enough", async () => {
    const asked = session([], [approved("refund_order", "/srv/ORDER-77")], "Refund ORDER-77.");
    const { lines } = await suggest([asked]);

    expect(lines.map(({ section, line }) => [section, line])).toEqual([
      [
        "into",
        {
          match: { tool: ["cancel_order", "open_page", "refund_order"] },
          from: ["user", "lastPart"],
        },
      ],
    ]);
  });

  test("a value that no field and no word explains gets none, and its call is asked about", async () => {
    const asked = session(orders, [approved("refund_order", "ORDER-99")]);
    const found = await suggest([asked, asked]);

    expect(found).toMatchObject({ lines: [], before: 2, after: 2, fresh: 0 });
    expect([...found.asks.values()]).toEqual([true]);
  });

  test("one value of two that nothing explains makes the call unexplained", async () => {
    const asked = (at: number) => session(orders, [approved("refund_order", [orders[at]!.id, "ORDER-99"])]);
    expect((await suggest([asked(0), asked(1)])).lines).toEqual([]);
  });
});

describe("a call that a person denied", () => {
  test("takes away only the line that would let it through", async () => {
    const mails = [0, 1].map((at) =>
      session(orders, [approved("refund_order", orders[at]!.mail)], "Pay Ada and Bob."),
    );
    const ids = [0, 1].map((at) => session(orders, [approved("cancel_order", orders[at]!.id)]));
    const denied = session(orders, [["cancel_order", { order: "ORDER-12" }, "denied"]]);
    const { lines, asks } = await suggest([...mails, ...ids, denied]);

    expect(lines[0]!.line).toEqual({ match: { tool: "list_orders" }, fields: { "*.mail": "contact" } });
    expect(asks.get(denied.steps[1]!.id)).toBe(true);
    expect(asks.get(mails[0]!.steps[1]!.id)).toBe(false);
  });

  test("has no result, so that no field of it is trusted", async () => {
    const first = {
      id: "d",
      steps: [
        step("list_orders", {}, prompt, { value: orders, outcome: "denied" as const }),
        step("refund_order", { order: "ORDER-11" }, prompt, { outcome: "approved" as const }),
      ],
    };
    expect((await suggest([first, { ...first, id: "e" }])).lines).toEqual([]);
  });
});

test("what a person approved once in a session counts as typed there", async () => {
  const twice = session(orders, [
    approved("refund_order", "ORDER-99"),
    ["cancel_order", { order: "ORDER-99" }, "ran"],
    ["cancel_order", { order: "ORDER-98" }, "ran"],
  ]);
  const found = await suggest([twice]);

  expect([found.before, found.fresh]).toEqual([1, 1]);
});

test("flows that are no section are refused", async () => {
  const tools = await infos();
  expect(() => suggestFlows([], tools, { into: [{ match: {}, else: "stop" }] })).toThrow("ask");
  expect(suggestFlows([], tools, "on")).toMatchObject({ lines: [], before: 0, after: 0, fresh: 0 });
});
