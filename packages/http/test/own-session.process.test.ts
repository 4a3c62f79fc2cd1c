import { data, defineTool } from "@toolmount/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { createWorld, serve } from "./support/world.ts";

const path = "/api/v1/hosts/default";

/** A host whose tools keep a word in their session, or answer with what is too long. */
async function served() {
  const { host } = createWorld({ limits: { outputBytes: 4_000 } });
  const base = { category: "side_effect", consequenceLevel: "low", requiresConfirmation: false } as const;
  const tools = [
    defineTool({
      ...base,
      name: "remember",
      description: "Keeps a word in the session, and returns the one before. Use in tests.",
      schema: z.strictObject({ word: z.string() }),
      async execute({ word }, { session }) {
        const before = session.get("word") ?? null;
        session.set("word", word);
        return data(before);
      },
    }),
    defineTool({
      ...base,
      name: "long",
      description: "Returns a long text. Use in tests.",
      schema: z.strictObject({}),
      execute: async () => data("long ".repeat(2_000)),
    }),
  ];
  for (const tool of tools) host.coordinator.mount("tools", tool);
  const { ask } = await serve(host);
  const call = async (as: "ana" | "caller" | "operator", tool: string, more: object) =>
    (await ask("POST", `${path}/calls`, { as, body: { tool, sessionId: "s1", ...more } })).body;
  return { ask, call };
}

describe("sessions of one name that two users name", () => {
  test.each([
    ["by a token of each", { as: "caller", userId: "bo" }],
    ["by a token without a user, for one", { as: "operator", userId: "bo%" }],
    ["by a token without a user, for none", { as: "caller" }],
  ] as const)("share no state: %s", async (_, { as, ...other }) => {
    const { call } = await served();
    await call("ana", "remember", { arguments: { word: "secret" } });

    expect(await call(as, "remember", { ...other, arguments: { word: "x" } })).toMatchObject({
      result: { data: null },
    });
    expect(await call("ana", "remember", { arguments: { word: "next" } })).toMatchObject({
      sessionId: "ana:s1",
      result: { data: "secret" },
    });
  });

  test("are the ones that their outcomes name, and stay so", async () => {
    const { call } = await served();
    await call("ana", "remember", { arguments: { word: "secret" } });
    const again = await call("ana", "remember", { sessionId: "ana:s1", arguments: { word: "x" } });
    expect(again).toMatchObject({ sessionId: "ana:s1", result: { data: "secret" } });
    const other = await call("caller", "remember", {
      userId: "an",
      sessionId: "ana:s1",
      arguments: { word: "" },
    });
    expect(other).toMatchObject({ sessionId: "an:ana:s1", result: { data: null } });
  });
});

test("the whole of a cut output is its user's, and of those who see everything", async () => {
  const { ask, call } = await served();
  const refOf = ({ result }: { readonly result?: unknown }) =>
    (result as { truncated: { ref: string } }).truncated.ref;
  const ref = refOf(await call("caller", "long", { userId: "bo" }));
  const read = async (as: "ana" | "caller" | "operator") =>
    (await ask("GET", `${path}/outputs/${ref}`, { as })).status;

  expect([await read("ana"), await read("operator")]).toEqual([404, 200]);
  const own = refOf(await call("ana", "long", {}));
  expect((await ask("GET", `${path}/outputs/${own}`, { as: "ana" })).status).toBe(200);
});
