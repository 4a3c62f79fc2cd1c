import { describe, expect, test } from "vitest";
import { z } from "zod";
import { data, failure } from "../../src/index.ts";
import { tool } from "../world.ts";

describe("a defined tool without a host", () => {
  const strict = { schema: z.strictObject({ a: z.string().optional() }) as never };

  test("checks the signal, then the arguments, and completes what it returns", async () => {
    const made = tool((params) => data(params), strict);
    const at = expect.stringMatching(/^\d{4}-.*Z$/) as string;

    expect(await made.execute({ a: "x" })).toEqual({ tool: "probe", fetchedAt: at, data: { a: "x" } });
    expect(await made.execute(undefined)).toEqual({ tool: "probe", fetchedAt: at, data: {} });
    expect(await made.execute({ a: 1 }, { abortSignal: AbortSignal.abort() })).toEqual({
      tool: "probe",
      fetchedAt: at,
      error: "Request was cancelled",
      code: "CANCELLED",
    });
    expect(await made.execute({ a: 1 })).toMatchObject({
      error: "a must be a string, not a number",
      code: "INVALID_ARGUMENTS",
    });
  });

  test("never throws, and says what broke the contract", async () => {
    const throwing = tool(() => {
      throw new Error("boom");
    });
    const breaking = tool(() => ({ data: 1, error: "both" }));

    expect(await throwing.execute({})).toMatchObject({ error: "probe failed", code: "TOOL_FAILED" });
    expect(await breaking.execute({})).toMatchObject({
      code: "CONTRACT_VIOLATION",
      error: expect.stringMatching(/^"probe" broke the tool contract: /) as string,
    });
    expect(await tool(() => failure("no")).execute({})).toMatchObject({ error: "no" });
  });

  test("has a context of its own, with the members that its caller gives", async () => {
    const seen: unknown[] = [];
    const made = tool(async (_, context) => {
      const { callId, runId, tool: name, depth, abortSignal, session, userId } = context;
      session.set("a", 1);
      seen.push([callId, runId, name, depth, abortSignal.aborted, session.get("a"), userId]);
      session.delete("a");
      context.progress({ progress: 1 });
      seen.push(
        session.get("a"),
        await context.call({ name: "other" }).catch((error: unknown) => String(error)),
      );
      return data(null);
    });
    await made.execute({}, { userId: "ada", callId: undefined });

    expect(seen).toEqual([
      ["", "", "probe", 0, false, 1, "ada"],
      undefined,
      'Error: "probe" runs without a host and cannot call "other"',
    ]);
  });
});
