import type { ToolOutcome } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { readOutput, withWhole } from "../src/serve/outputs.ts";
import { hostOf } from "./support.ts";

describe("what was cut from a result", () => {
  const host = (whole: string) => ({
    output: (ref: string) => {
      if (ref !== "r1") throw Object.assign(new Error("x"), { code: "OTHER" });
      return { text: whole } as never;
    },
  });
  const outcome = (more: object) =>
    ({ tool: "rows", result: { truncated: { ref: "r1", bytes: 99 }, ...more } }) as unknown as ToolOutcome;
  const link = {
    type: "resource_link",
    uri: "toolmount://output/r1",
    name: "output of rows",
    description: "The whole of what was cut here; it is kept for some time",
    size: 99,
  };
  const cut = { type: "text" as const, text: "cut" };

  test("is linked, and data is given whole", () => {
    const rendered = { content: [cut], isError: true };
    expect(withWhole(host("long text"), outcome({}), rendered)).toEqual({
      content: [cut, link],
      isError: true,
    });
    expect(withWhole(host('{"a":1}'), outcome({}), rendered)).toEqual({
      content: [cut, link],
      isError: true,
    });
    expect(
      withWhole(host("[1]"), outcome({ code: "OUTPUT_TOO_LARGE" }), rendered).structuredContent,
    ).toBeUndefined();
    expect(withWhole(host('{"a":1}'), outcome({}), { ...rendered, structuredContent: {} })).toEqual({
      content: [cut, link],
      structuredContent: { a: 1 },
    });
    const shown = { type: "text", text: '{"a":1}\n… [99 bytes in all]' };
    expect(withWhole(host('{"a":1}'), outcome({ code: "OUTPUT_TOO_LARGE" }), rendered)).toEqual({
      content: [shown, link],
      structuredContent: { a: 1 },
    });
    const long = JSON.stringify({ a: "x".repeat(20_000) });
    const [first] = withWhole(host(long), outcome({ code: "OUTPUT_TOO_LARGE" }), rendered).content;
    expect(first).toEqual({ type: "text", text: `${long.slice(0, 16_384)}\n… [99 bytes in all]` });
  });

  test("is nothing for a result that was not cut", () => {
    const rendered = { content: [cut] };
    expect(withWhole(host("x"), { tool: "rows", result: {} } as never, rendered)).toBe(rendered);
  });

  test("is read by its address, and another address is not one", () => {
    expect(readOutput({ host: host("whole") }, "toolmount://output/r1")).toEqual({
      contents: [{ uri: "toolmount://output/r1", mimeType: "text/plain", text: "whole" }],
    });
    expect(readOutput({ host: host("whole") }, "file:///r1")).toBeUndefined();
    expect(() => readOutput({ host: host("whole") }, "toolmount://output/r2")).toThrow("x");
    expect(readOutput({ host: hostOf([]) }, "toolmount://output/none")).toBeUndefined();
  });
});
