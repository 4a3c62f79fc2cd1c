import * as anthropic from "@ai-sdk/anthropic";
import { expect, test } from "vitest";
import { pictures } from "../support/pictures.ts";
import { call, response, say, tool, world } from "../support/world.ts";

const outputSchema = {
  type: "object",
  properties: { city: { type: "string" }, degrees: { type: "number" }, note: { type: "string" } },
  required: ["city", "degrees"],
  additionalProperties: false,
};
const settings = { outputSchema };

test("with outputSchema the turn's result has the checked value, and optional members may be null", async () => {
  const text = '{"city":"Vienna","degrees":21,"note":null}';
  const { run, requests, reasoner } = await world([response([call("c1", "look")]), response([say(text)])], {
    settings,
    tools: [tool("look", () => 21)],
  });
  const turn = await run("how warm is it?");

  expect(turn).toMatchObject({ status: "done", text, data: { city: "Vienna", degrees: 21 } });
  expect(turn.data).not.toHaveProperty("note");
  expect(await reasoner.lastTurn("s")).toEqual(turn);
  const format = { type: "json_schema", name: "answer", strict: true, schema: { type: "object" } };
  expect(requests.map(({ text: asked }) => asked)).toMatchObject([{ format }, { format }]);
});

test("a schema that strict mode cannot express is sent as it is", async () => {
  const open = { type: "object", properties: { a: { type: "string" } } };
  const { run, requests } = await world([response([say('{"a":"b","more":1}')])], {
    settings: { outputSchema: open },
  });

  expect(await run("go")).toMatchObject({ status: "done", data: { a: "b", more: 1 } });
  expect(requests[0]).toMatchObject({ text: { format: { strict: false, schema: open } } });
});

test.each([
  { text: "It is warm.", problem: "it is not JSON" },
  { text: '{"city":"Vienna"}', problem: "degrees" },
  { text: '{"city":"Vienna","degrees":"21"}', problem: "degrees" },
])("a second answer that is not of the schema fails the turn: $text", async ({ text, problem }) => {
  const { run, requests } = await world([response([say(text)]), response([say(text)])], { settings });
  const turn = await run("how warm is it?");
  expect(requests).toHaveLength(2);

  expect(turn).toMatchObject({ status: "failed", text, error: { code: "PROVIDER_FAILED" } });
  expect(turn.error!.message).toContain(problem);
  expect(turn).not.toHaveProperty("data");
});

test("the model reads what is wrong with its answer, and answers again", async () => {
  const right = '{"city":"Vienna","degrees":21}';
  const { run, requests, events } = await world(
    [
      response([say('{"city":"Vienna"}')]),
      response([say(right)]),
      response([say("{}")]),
      response([say(right)]),
    ],
    { settings },
  );
  expect(await run("how warm is it?")).toMatchObject({ status: "done", text: right, data: { degrees: 21 } });
  expect(requests[1]!.input.at(-1)).toMatchObject({
    content: expect.stringMatching(/cannot be used.*degrees/) as string,
  });
  expect(events).toContainEqual({ type: "retry", kind: "invalid_output", afterMs: 0 });
  expect(await run("and now?")).toMatchObject({ status: "done" });
});

test.each([
  '```json\n{"city":"Vienna","degrees":21}\n```',
  'Here it is:\n\n```\n{"city":"Vienna","degrees":21}\n```\nAnything else?',
  'Sure! {"city":"Vienna","degrees":21} – as of today.',
])("JSON in a fence, or in a text, is read: %j", async (text) => {
  const { run } = await world([response([say(text)])], { settings });
  expect(await run("how warm is it?")).toMatchObject({
    status: "done",
    data: { city: "Vienna", degrees: 21 },
  });
});

const image = { mimeType: "image/png", data: pictures.png() };

test("images of a prompt reach the model, in the next turn too", async () => {
  const { run, requests, reasoner } = await world([response([say("a cat")]), response([say("yes")])]);
  await run("what is this?", { images: [image] });
  await run("sure?");

  const content = [
    { type: "input_text", text: "what is this?" },
    { type: "input_image", image_url: `data:image/png;base64,${pictures.png()}` },
  ];
  for (const { input } of requests) expect(input[0]).toMatchObject({ role: "user", content });
  expect((await reasoner.show("s")).title).toBe("what is this?");
});

test.each([
  { mimeType: "text/plain", data: pictures.png() },
  { mimeType: "image/png", data: `data:image/png;base64,${pictures.png()}` },
])("an attachment that is not an image in base64 is refused, and no request is made: %j", async (wrong) => {
  const { run, requests } = await world([]);

  await expect(run("look", { images: [image, wrong] })).rejects.toMatchObject({ code: "OPTION_INVALID" });
  expect(requests).toHaveLength(0);
});

const anthropicAnswer = (text: string) => ({
  body: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text }],
    stop_reason: "end_turn",
    usage: { input_tokens: 1, output_tokens: 1 },
  },
});

test.each([
  {
    model: "openai-compatible:m",
    answer: {
      body: { choices: [{ index: 0, message: { role: "assistant", content: "{}" }, finish_reason: "stop" }] },
    },
    part: { type: "image_url", image_url: { url: `data:image/png;base64,${pictures.png()}` } },
  },
  {
    model: "anthropic:m",
    answer: anthropicAnswer("{}"),
    part: { type: "image", source: { type: "base64", media_type: "image/png", data: pictures.png() } },
  },
])("images and outputSchema work over $model", async ({ model, answer, part }) => {
  const { host, run, requests } = await world([answer], {
    settings: { model, apiKey: "k", outputSchema: { type: "object", properties: {} } },
  });
  host.coordinator.registerCapability("host.import_package", async () => anthropic);
  const turn = await run("look", { images: [image] });

  expect(turn).toMatchObject({ status: "done", data: {} });
  const [{ messages }] = requests as unknown as [{ messages: readonly { content: unknown }[] }];
  expect(messages.at(-1)!.content).toContainEqual(expect.objectContaining(part));
});
