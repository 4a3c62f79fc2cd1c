import type { ToolOutcome, ToolResult } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { fromMcpResult, outcomeMetaKey, toMcpResult, withoutStructuredData } from "../src/wire/result.ts";
import type { McpResult } from "../src/wire/shapes.ts";

const text = (value: string) => ({ type: "text" as const, text: value });

/** An outcome of a call of `pay`, and what a client reads of it without the facts of every call. */
function outcome(result: object, more: Partial<ToolOutcome> = {}): ToolOutcome {
  const whole = { tool: "pay", fetchedAt: "2026-01-01T00:00:00.000Z", ...result } as ToolResult;
  return { callId: "c", runId: "r", tool: "pay", status: "ok", result: whole, durationMs: 1, ...more };
}

const facts = (more: object = {}, status = "ok") => ({ [outcomeMetaKey]: { runId: "r", status, ...more } });

describe("what a client reads of a call", () => {
  test.each<[string, ToolOutcome, object]>([
    ["a text", outcome({ data: "paid" }), { content: [text("paid")] }],
    ["nothing", outcome({ data: undefined }), { content: [text("null")] }],
    ["null", outcome({ data: null }), { content: [text("null")] }],
    ["a list", outcome({ data: [1, 2] }), { content: [text("[1,2]")] }],
    ["an object", outcome({ data: { a: 1 } }), { content: [text('{"a":1}')], structuredContent: { a: 1 } }],
    [
      "an object and its own text",
      outcome({ data: { a: 1 }, content: [text("one")] }),
      { content: [text("one")], structuredContent: { a: 1 } },
    ],
    [
      "an object and a picture",
      outcome({ data: { a: 1 }, content: [{ type: "image", data: "AA==", mimeType: "image/png" }] }),
      {
        content: [text('{"a":1}'), { type: "image", data: "AA==", mimeType: "image/png" }],
        structuredContent: { a: 1 },
      },
    ],
    [
      "a picture alone",
      outcome({ data: null, content: [{ type: "image", data: "AA==", mimeType: "image/png" }] }),
      { content: [{ type: "image", data: "AA==", mimeType: "image/png" }] },
    ],
    [
      "warnings, and texts of gates after them",
      outcome({ data: "paid", warnings: ["slow"] }, { injections: [{ text: "be brief" }] as never }),
      { content: [text("paid"), text("Warning: slow"), text("be brief")] },
    ],
    [
      "members of MCP that a result has no field for",
      outcome({ data: "paid", meta: { mcp: { _meta: { trace: 1 }, later: true }, other: 1 } }),
      { content: [text("paid")], later: true, _meta: { trace: 1, ...facts() } },
    ],
    [
      "a value that is structured content of 2026",
      outcome({ data: 5, content: [text("five")], meta: { mcp: { structuredContent: 5 } } }),
      { content: [text("five")], structuredContent: 5 },
    ],
    ["meta of another kind", outcome({ data: "paid", meta: { mcp: "no" } }), { content: [text("paid")] }],
  ])("that returned %s", (_, given, expected) => {
    expect(toMcpResult(given)).toEqual({ _meta: facts(), ...expected });
  });

  test.each<[string, ToolOutcome, object]>([
    [
      "its sentence, its code and its details",
      outcome({ error: "no money", code: "POOR", details: { left: 1 } }, { status: "failed" }),
      {
        content: [text("no money")],
        isError: true,
        _meta: facts({ code: "POOR", details: { left: 1 } }, "failed"),
      },
    ],
    [
      "a sentence that its blocks say already, once",
      outcome({ error: "no money", content: [text("no money")] }, { status: "failed" }),
      { content: [text("no money")], isError: true, _meta: facts({}, "failed") },
    ],
    [
      "a sentence that was cut, by the blocks that have all of it",
      outcome({ error: "no mon …", content: [text("no money"), text("left")] }, { status: "failed" }),
      { content: [text("no money"), text("left")], isError: true, _meta: facts({}, "failed") },
    ],
    [
      "a sentence that its blocks only begin with, and the blocks",
      outcome({ error: "no", content: [text("no money")] }, { status: "failed" }),
      { content: [text("no"), text("no money")], isError: true, _meta: facts({}, "failed") },
    ],
    [
      "structured data of its server",
      outcome({ error: "no", meta: { mcp: { structuredContent: { a: 1 } } } }, { status: "failed" }),
      { content: [text("no")], structuredContent: { a: 1 }, isError: true, _meta: facts({}, "failed") },
    ],
    [
      "where its end can be read",
      outcome({ error: "no", truncated: { ref: "out_1", total: 9 } as never }, { status: "failed" }),
      {
        content: [text("no")],
        isError: true,
        _meta: facts({ truncated: { ref: "out_1", total: 9 } }, "failed"),
      },
    ],
  ])("that failed: %s", (_, given, expected) => {
    expect(toMcpResult(given)).toEqual(expected);
  });

  test.each([
    [
      "a person",
      { waitsFor: "approval" },
      "It has not run yet. To get its result when a person has approved it, call pay again with the same arguments. Ticket: t",
    ],
    [
      "another run",
      { waitsFor: "run" },
      "It has not run yet. To get its result when it has ended, call pay again with the same arguments. Ticket: t",
    ],
    ["the client", { waitsFor: "client" }, "Ticket: t"],
    [
      "an unknown cause",
      undefined,
      "It has not run yet. To get its result when a person has approved it, call pay again with the same arguments. Ticket: t",
    ],
  ])("that waits for %s is no error, and says what comes next", (_, details, next) => {
    const waiting = outcome(
      { error: "it waits", code: "PENDING", ...(details && { details }) },
      { status: "pending", ticket: "t" },
    );
    expect(toMcpResult(waiting)).toEqual({
      content: [text("it waits"), text(next)],
      _meta: facts({ ticket: "t", code: "PENDING", ...(details && { details }) }, "pending"),
    });
  });

  test("a call that waits without a ticket, and an ended one with a ticket, say nothing of tickets", () => {
    for (const more of [{ status: "pending" }, { status: "denied", ticket: "t" }] as const)
      expect(toMcpResult(outcome({ error: "no" }, more)).content).toEqual([text("no")]);
  });

  test("a result that its schema does not describe is an error without data", () => {
    const result = { content: [text("a")], structuredContent: { a: 1 }, _meta: {} };
    expect(withoutStructuredData(result)).toEqual({
      content: [
        text("a"),
        text("Warning: this is not what the tool's outputSchema describes, so it is given as text only"),
      ],
      isError: true,
      _meta: {},
    });
  });
});

describe("what a host reads of a server's result", () => {
  test.each<[string, McpResult, object]>([
    ["a text", { content: [text("a")] }, { data: "a" }],
    [
      "a text with more members",
      { content: [{ ...text("a"), _meta: { b: 1 } }] },
      { data: "a", content: [{ ...text("a"), meta: { _meta: { b: 1 } } }] },
    ],
    ["two texts", { content: [text("a"), text("b")] }, { data: "a\nb", content: [text("a"), text("b")] }],
    ["no block", { content: [] }, { data: null, content: [] }],
    [
      "data",
      { content: [text("x")], structuredContent: [1] },
      { data: [1], content: [text("x")], meta: { mcp: { structuredContent: [1] } } },
    ],
    ["data without a block", { content: [], structuredContent: {} }, { data: {}, content: [] }],
    ["a failure", { content: [text("no")], isError: true }, { error: "no" }],
    [
      "a failure without a text",
      { content: [], isError: true },
      { error: "the MCP server reported an error without a text", content: [] },
    ],
    [
      "a failure with data and an unknown member",
      { content: [text("no")], isError: true, structuredContent: { a: 1 }, later: 2 },
      { error: "no", meta: { mcp: { later: 2, structuredContent: { a: 1 } } } },
    ],
    [
      "members of the connection, which are dropped, and others, which are kept",
      {
        content: [text("a")],
        resultType: "complete",
        requestState: "s",
        inputRequests: {},
        later: 1,
        _meta: { b: 1 },
      },
      { data: "a", meta: { mcp: { later: 1, _meta: { b: 1 } } } },
    ],
    [
      "a picture and a sound",
      {
        content: [
          { type: "image", data: "AA==", mimeType: "image/png", annotations: { priority: 1 } },
          { type: "audio", data: "AA==", mimeType: "audio/wav" },
        ],
      },
      {
        data: null,
        content: [
          {
            type: "image",
            data: "AA==",
            mimeType: "image/png",
            meta: { annotations: { priority: 1 } },
          },
          { type: "audio", data: "AA==", mimeType: "audio/wav" },
        ],
      },
    ],
  ])("%s", (_, given, expected) => {
    const read = JSON.parse(JSON.stringify(fromMcpResult(given))) as object;
    expect(read).toEqual(expected);
  });

  test("a failure of 4,000 characters is its sentence, and a longer one is kept as a block, too", () => {
    const failed = (length: number) =>
      fromMcpResult({ content: [text("x".repeat(length))], isError: true }).content;
    expect(failed(4_000)).toBeUndefined();
    expect(failed(4_001)).toHaveLength(1);
  });
});

describe("a block of a server comes to a client as it was", () => {
  test.each<[string, McpResult["content"][number]]>([
    ["a link", { type: "resource_link", uri: "file:///a", name: "a" }],
    [
      "a link with all members",
      {
        type: "resource_link",
        uri: "file:///a",
        name: "a",
        mimeType: "text/plain",
        _meta: { b: 1 },
      },
    ],
    ["a resource of text", { type: "resource", resource: { uri: "file:///a", text: "" } }],
    [
      "a resource of bytes",
      {
        type: "resource",
        resource: { uri: "file:///a", blob: "AA==", mimeType: "image/png", _meta: { c: 1 } } as never,
        _meta: { b: 1 },
      },
    ],
    ["a picture", { type: "image", data: "AA==", mimeType: "image/png", _meta: { b: 1 } }],
  ])("%s", (_, block) => {
    const read = fromMcpResult({ content: [block], structuredContent: {} });
    const served = toMcpResult(outcome({ data: "x", content: [...read.content!, text("t")] }));
    expect(served.content).toEqual([block, text("t")]);
  });

  test("a file that has neither text nor bytes is a link, named by its address", () => {
    const content = [{ type: "file" as const, uri: "file:///a" }, text("t")];
    expect(toMcpResult(outcome({ data: "x", content })).content).toEqual([
      { type: "resource_link", uri: "file:///a", name: "file:///a" },
      text("t"),
    ]);
  });
});
