import { describe, expect, test } from "vitest";
import { importPackage } from "../support/model-world.ts";
import { pictures } from "../support/pictures.ts";
import { anthropic, chat, gemini, responses, type Wire } from "../support/wires.ts";
import { tool, world, type Answer, type Request } from "../support/world.ts";

const png = pictures.png(3, 2);
const torn = Buffer.from(pictures.png(4, 4), "base64").subarray(0, 60).toString("base64");
const shot = (data: string) => ({
  ...tool("shot", () => null),
  execute: async () => ({ data: "a picture", content: [{ type: "image", mimeType: "image/png", data }] }),
});

/** What servers say of an image that they do not take. */
const refusals: [string, string, string?][] = [
  ["an image that does not decode", "Could not process image"],
  ["an image of too many pixels", "At least one of the image dimensions exceed max allowed size: 1 pixels"],
  ["an invalid image", "The image data you provided does not represent a valid image.", "invalid_image"],
  ["no images at all", "This model does not support image input"],
  ["no images behind a router", "No endpoints found that support image input"],
];

const errorOf = (message: string, code?: string): Answer => ({
  status: 400,
  body: {
    type: "error",
    error: { message, type: "invalid_request_error", code: code ?? 400, status: "INVALID_ARGUMENT" },
  },
});

/** A session with a server that refuses every request with an image. */
async function refusing(wire: Wire, message: string, code?: string, data = png) {
  const made = await world(
    (request: Request, at: number): Answer => {
      if (JSON.stringify(request).includes("iVBORw0KGgo")) return errorOf(message, code);
      const calls = [{ id: "call_1", name: "shot", arguments: "{}" }];
      return { body: wire.body(at === 0 ? { calls } : { text: `answer ${at}` }) };
    },
    { tools: [shot(data)], settings: { model: wire.model, apiKey: "k", retries: 0 } },
  );
  made.host.coordinator.registerCapability("host.import_package", importPackage);
  return made;
}

describe.each([responses, chat, anthropic, gemini])("$name", (wire) => {
  test.each(refusals)("a session survives a server that takes %s", async (...[, message, code]) => {
    const { run, requests, events } = await refusing(wire, message, code);
    expect(await run("look")).toMatchObject({ status: "done", text: "answer 2" });
    expect(JSON.stringify(requests[2])).toContain("(an image, which the model's server refused)");
    expect(events).toContainEqual({
      type: "tool_warning",
      tool: "",
      message: expect.stringContaining(`refused 1 image: ${message}`) as string,
    });

    const images = [{ mimeType: "image/png", data: pictures.png(5, 5) }];
    expect(await run("and now something else")).toMatchObject({ status: "done", text: "answer 3" });
    expect(requests).toHaveLength(4); // what was refused is not sent again
    expect(await run("and this", { images })).toMatchObject({ status: "done" });
    expect(await run("and at last")).toMatchObject({ status: "done" });
    const refused = message.includes("support image") ? 1 : 2;
    expect(requests.filter((one) => JSON.stringify(one).includes("iVBORw0KGgo"))).toHaveLength(refused);
  });

  test("what a server takes in no session is asked once, also by the next process with the store", async () => {
    const first = await refusing(wire, "This model does not support image input");
    const withPicture = (requests: readonly unknown[]) =>
      requests.filter((one) => JSON.stringify(one).includes("iVBORw0KGgo")).length;
    await first.run("look");
    expect(withPicture(first.requests)).toBe(1);

    const images = [{ mimeType: "image/png", data: png }];
    expect(await first.run("and this", { sessionId: "other", images })).toMatchObject({ status: "done" });
    const { baseUrl } = first.server;
    const settings = { model: wire.model, apiKey: "k", retries: 0, baseUrl };
    const next = await world([], { settings, store: first.store });
    next.host.coordinator.registerCapability("host.import_package", importPackage);
    expect(await next.run("and this", { sessionId: "third", images })).toMatchObject({ status: "done" });

    expect(withPicture(first.requests)).toBe(1);
    expect(first.requests).toHaveLength(5);
  });

  test("one image that a server refused says nothing of those of other sessions", async () => {
    const { run, requests } = await refusing(wire, "Could not process image");
    await run("look");
    await run("and this", { sessionId: "other", images: [{ mimeType: "image/png", data: png }] });

    expect(requests.filter((one) => JSON.stringify(one).includes("iVBORw0KGgo"))).toHaveLength(2);
  });

  test("an image that no server can read is not sent", async () => {
    const { run, requests } = await refusing(wire, "Could not process image", undefined, torn);
    expect(await run("look")).toMatchObject({ status: "done" });
    expect(requests).toHaveLength(2);
    expect(JSON.stringify(requests[1])).toContain("an image that is not whole");
  });

  test("a refusal of images in a conversation without one is the end of the turn, as the server says it", async () => {
    const made = await world([errorOf("the image is cursed")], {
      settings: { model: wire.model, apiKey: "k", retries: 0 },
    });
    made.host.coordinator.registerCapability("host.import_package", importPackage);
    expect(await made.run("hi")).toMatchObject({
      status: "failed",
      error: { details: { kind: "invalid_request", refused: "image" } },
    });
  });
});

test("of images that were answered before, only those that came since are left out", async () => {
  const late = pictures.png(7, 7);
  const { run, requests } = await world(
    (request, at): Answer =>
      JSON.stringify(request).includes(late)
        ? errorOf("Could not process image")
        : { body: responses.body({ text: `answer ${at}` }) },
    { settings: { retries: 0 } },
  );
  await run("one", { images: [{ mimeType: "image/png", data: png }] });
  expect(await run("two", { images: [{ mimeType: "image/png", data: late }] })).toMatchObject({
    status: "done",
  });
  expect(JSON.stringify(requests.at(-1))).toContain(png);
});

test.each([
  ["The request could not be processed", "done"],
  ["tools.0.function.parameters: invalid schema", "failed"],
])(
  "a refusal without a reason near the largest answered request is tried once shorter: %s",
  async (message, status) => {
    const long = "word ".repeat(20_000);
    const { run, requests } = await world(
      (request): Answer =>
        JSON.stringify(request).length > 150_000
          ? { status: 400, body: { error: { message } } }
          : { body: responses.body({ text: "ok" }) },
      { settings: { retries: 0, summary: false, keepTurns: 1 } },
    );
    await run(`one ${long}`);
    expect(await run(`two ${long}`)).toMatchObject({ status });
    expect(requests).toHaveLength(status === "done" ? 3 : 2);
    if (status === "done") expect(await run("three")).toMatchObject({ status: "done" });
  },
);
