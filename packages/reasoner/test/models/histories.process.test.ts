import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Model } from "@toolmount/interop";
import { legalItems } from "../../src/provider/legal-items.ts";
import type { Item } from "../../src/provider/items.ts";
import { tool } from "../support/world.ts";
import { anthropic, chat, gemini, responses, type Reply, type Wire } from "../support/wires.ts";
import { pictures } from "../support/pictures.ts";
import { modelWorld, openModel, serveWire } from "../support/model-world.ts";

const wires = [responses, chat, anthropic, gemini];

/** Ids, names and texts that models, servers and hooks were seen to write, and some that none should. */
const ids = fc.constantFrom(
  "c1",
  "c2",
  "functions.echo:0",
  "call_a|fc_b",
  "",
  " ",
  "x".repeat(56),
  "y".repeat(94),
  "é",
);
const names = fc.constantFrom(
  "echo",
  "multi_tool_use.parallel",
  "functions.echo",
  "",
  "2fa",
  "a b",
  "n".repeat(80),
);
const texts = fc.constantFrom("hello", "", " ", "\n ", "half \ud83d", "\udc00", "Error: no", "日本");
const given = fc.constantFrom(
  "{}",
  '{"text":"a"}',
  '{"text":',
  "",
  "null",
  "[1]",
  '{"text":"\\ud83d"}',
  "{}{}",
);
const png = pictures.png();
const images = fc
  .record({ type: fc.constantFrom("png", "gif", "svg+xml", "jpeg"), data: fc.constantFrom(png, "aGk=", "") })
  .map(({ type, data }) => ({
    type: "input_image",
    detail: "auto",
    image_url: `data:image/${type};base64,${data}`,
  }));
const parts = fc.array(
  fc.oneof(
    texts.map((text) => ({ type: "input_text", text })),
    images,
  ),
  { maxLength: 3 },
);
const content = fc.oneof(texts, parts);
const item: fc.Arbitrary<Item> = fc.oneof(
  fc.record({
    type: fc.constant("message"),
    role: fc.constantFrom("user", "assistant", "developer", "tool"),
    content,
  }),
  fc.record({ role: fc.constantFrom("user", "assistant"), content }),
  fc.record({ type: fc.constant("function_call"), call_id: ids, name: names, arguments: given }),
  fc.record({ type: fc.constant("function_call_output"), call_id: ids, output: content }),
  fc.record({
    type: fc.constant("reasoning"),
    summary: fc.constant([]),
    encrypted_content: fc.constant("c2VhbGVk"),
  }),
  fc.record({
    type: fc.constant("reasoning"),
    summary: fc.constant([]),
    provider_metadata: fc.constantFrom(
      { provider: "anthropic.messages", metadata: { anthropic: { signature: "c2ln" } } },
      { provider: "google.generative-ai", metadata: { google: { thoughtSignature: "dGg=" } } },
    ),
  }),
) as fc.Arbitrary<Item>;

const signal = new AbortController().signal;

async function send(model: Model, items: readonly Item[]): Promise<void> {
  const { rules } = model;
  const request = {
    instructions: "Be short.",
    items: legalItems(items, { rules, isContinued: false }),
    previousResponseId: null,
    tools: [],
    settings: { stream: false, parallelToolCalls: true, store: false },
  };
  for await (const _ of model.respond(request, { signal }));
}

describe.each(wires.map((wire) => ({ wire, name: wire.name })))("$name", ({ wire }) => {
  test("takes any history", { timeout: 900_000 }, async () => {
    const server = await serveWire(wire, () => ({ text: "ok" }));
    const model = await openModel(wire, server.baseUrl);
    await fc.assert(
      fc.asyncProperty(fc.array(item, { maxLength: 12 }), async (items) => {
        const before = server.broken.length;
        const problem = await send(model, items).catch(String);
        expect([problem, server.broken.slice(before)]).toEqual([undefined, []]);
      }),
      { numRuns: 250 },
    );
  });

  test.each(["functions.echo:0", "call_a|fc_b", "x".repeat(56), "y".repeat(94)])(
    "takes the history of another provider whose calls have ids such as %s",
    async (id) => {
      for (const from of wires.filter((other) => other !== wire)) {
        const call = { id, name: "echo", arguments: '{"text":"a"}' };
        const one = await modelWorld(
          from,
          false,
          [{ reasoning: "c2VhbGVk", calls: [call] }, { text: "one" }],
          { tools: [echo] },
        );
        expect(await one.run("first")).toMatchObject({ status: "done" });
        const next = await serveWire(wire, [{ text: "two" }, { text: "three" }]);
        const settings = { model: wire.model, baseUrl: next.baseUrl, apiKey: "k2" };

        expect(await one.run("second", { settings })).toMatchObject({ status: "done", text: "two" });
        expect(await one.run("third", { settings })).toMatchObject({ status: "done", text: "three" });
        expect(next.shared[1]).toBeGreaterThan(3); // the id is replaced by the same one each time
      }
    },
  );
});

const echo = tool("echo", ({ text }) => `echo ${String(text)}`);

const calls = fc.array(fc.record({ id: ids, name: names, arguments: given }), { minLength: 1, maxLength: 3 });
const odd: fc.Arbitrary<Reply> = fc.oneof(
  fc.record({ text: texts }),
  fc.record({ text: texts, calls }),
  fc.record({ reasoning: fc.constant("c2VhbGVk"), calls }),
  fc.record({ text: texts, calls, stop: fc.constant("length" as const) }),
  fc.record({ text: texts, stop: fc.constantFrom("length" as const, "filter" as const) }),
);

test(
  "a session continues with any provider, after any answer of any other",
  { timeout: 900_000 },
  async () => {
    const turn = fc.record({ wire: fc.constantFrom<Wire>(...wires), stream: fc.boolean(), reply: odd });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { minLength: 2, maxLength: 4 }), async (turns) => {
        const session = await modelWorld(responses, false, [], { tools: [echo] });
        for (const { wire, stream, reply } of turns) {
          const server = await serveWire(wire, (at) => (at === 0 ? reply : { text: "fine" }));
          const settings = { model: wire.model, baseUrl: server.baseUrl, apiKey: "k", stream, retries: 0 };
          const { status, error } = await session.run("go on", { settings });
          expect([error, server.broken]).toEqual([undefined, []]);
          expect(["done", "incomplete"]).toContain(status);
          await server.close();
        }
      }),
      { numRuns: 40 },
    );
  },
);

test("a growing conversation keeps its beginning, as it was sent before", () => {
  const answered = fc
    .record({
      text: texts,
      id: fc.uuid(),
      name: names,
      given,
      output: content,
      reply: fc.string({ minLength: 1 }),
    })
    .map(({ text, id, name, given: written, output, reply }): Item[] => [
      { type: "message", role: "user", content: `do ${text}` },
      { type: "function_call", call_id: id, name, arguments: written },
      { type: "function_call_output", call_id: id, output },
      { type: "message", role: "assistant", content: `said ${reply}` },
    ]);
  fc.assert(
    fc.property(fc.array(answered, { minLength: 2, maxLength: 6 }), (rounds) => {
      const ask: Item = { type: "message", role: "user", content: "and now?" };
      const before = legalItems(rounds.slice(0, -1).flat(), { isContinued: false }).slice(0, -1);
      const after = legalItems([...rounds.flat(), ask], { isContinued: false });
      expect(after.slice(0, before.length)).toEqual(before);
      expect(legalItems(after, { isContinued: false })).toEqual(after);
    }),
  );
});
