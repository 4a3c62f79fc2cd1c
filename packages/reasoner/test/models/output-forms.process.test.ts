import { expect, test } from "vitest";
import { world, type Answer } from "../support/world.ts";

const outputSchema = {
  type: "object",
  properties: { city: { type: "string" } },
  required: ["city"],
  additionalProperties: false,
};

interface Body {
  readonly response_format?: {
    readonly type: string;
    readonly json_schema?: { readonly schema: object; readonly strict: boolean };
  };
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}

const answer: Answer = {
  body: {
    id: "r",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [
      { index: 0, finish_reason: "stop", message: { role: "assistant", content: '{"city":"Rome"}' } },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
};
const refusal = (message: string): Answer => ({ status: 400, body: { error: { message } } });

/** A session with a server of Chat Completions that takes only some forms of structured output. */
async function asking(taken: readonly string[], more: object = {}) {
  const made = await world(
    (request) => {
      const { type = "none" } = (request as unknown as Body).response_format ?? {};
      return taken.includes(type) ? answer : refusal(`response_format of type ${type} is unavailable now`);
    },
    { settings: { model: "vllm:m", retries: 0, outputSchema, ...more } },
  );
  return { ...made, bodies: made.requests as unknown as readonly Body[] };
}

const formsOf = (bodies: readonly Body[]) => bodies.map(({ response_format: form }) => form?.type);

test("a server that takes a schema gets it, and nothing is left out", async () => {
  const { run, bodies, events } = await asking(["json_schema"]);
  expect(await run("where?")).toMatchObject({ status: "done", data: { city: "Rome" } });
  expect(formsOf(bodies)).toEqual(["json_schema"]);
  expect(bodies[0]!.response_format!.json_schema).toMatchObject({ schema: outputSchema, strict: true });
  expect(events.filter(({ type }) => type === "tool_warning")).toEqual([]);
});

test("a schema that strict mode cannot express is not called strict", async () => {
  const { run, bodies } = await asking(["json_schema"], {
    outputSchema: { type: "object", properties: { city: {} } },
  });
  expect(await run("where?")).toMatchObject({ status: "done" });
  expect(bodies[0]!.response_format!.json_schema).toMatchObject({ strict: false });
});

test.each([
  { taken: ["json_object"], tried: ["json_schema", "json_object"], then: ["json_object"] },
  { taken: ["none"], tried: ["json_schema", "json_object", undefined], then: [undefined] },
])("a server that takes $taken is asked so, from the second request on at once", async (one) => {
  const { run, bodies } = await asking(one.taken);
  expect(await run("where?")).toMatchObject({ status: "done", data: { city: "Rome" } });
  expect(formsOf(bodies)).toEqual(one.tried);
  const { messages } = bodies.at(-1)!;
  expect(messages[0]!.role).toBe("system");
  expect(messages[0]!.content).toContain(JSON.stringify(outputSchema));
  expect(await run("and now?")).toMatchObject({ status: "done", data: { city: "Rome" } });
  expect(formsOf(bodies.slice(one.tried.length))).toEqual(one.then);
});

test("another refusal is the server's own, and changes no form", async () => {
  const { run, bodies } = await world([refusal("temperature is too high"), answer], {
    settings: { model: "vllm:m", retries: 0, outputSchema },
  }).then((made) => ({ ...made, bodies: made.requests as unknown as readonly Body[] }));
  expect((await run("where?")).error!.message).toContain("temperature is too high");
  expect(await run("where?")).toMatchObject({ status: "done" });
  expect(formsOf(bodies)).toEqual(["json_schema", "json_schema"]);
});
