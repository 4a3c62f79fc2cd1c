import { expect, test } from "vitest";
import type { ModelRules } from "@toolmount/interop";
import { readText, type Item } from "../../src/provider/items.ts";
import { legalItems } from "../../src/provider/legal-items.ts";
import { pictures } from "../support/pictures.ts";

const rules: ModelRules = {
  callId: /^[a-zA-Z0-9]{1,9}$/,
  images: ["image/png"],
  maxImageBytes: 200,
  maxImageSide: 8_000,
  imagesInOutputs: false,
};
const sent = (...items: object[]) => legalItems(items as Item[], { rules, isContinued: false });
const user = (text: string) => ({ type: "message", role: "user", content: text });
const call = (id: string, name = "look") => ({
  type: "function_call",
  call_id: id,
  name,
  arguments: "{}",
});
const output = (id: string, text: unknown = "seen") => ({
  type: "function_call_output",
  call_id: id,
  output: text,
});
const png = (data = pictures.png()) => ({
  type: "input_image",
  image_url: `data:image/png;base64,${data}`,
});

test("a conversation that is legal is sent as it is", () => {
  const items = [user("hi"), call("a"), output("a")];

  expect(sent(...items)).toEqual(items);
});

test("a conversation begins with words of the user, and ends with them or an output", () => {
  const answer = { type: "message", role: "assistant", content: "hello" };
  const beginning = user("(the beginning of this conversation is not shown)");

  expect(sent(answer)).toEqual([beginning, answer, user("(continue)")]);
  expect(sent(call("a"), output("a"))).toEqual([beginning, call("a"), output("a")]);
  expect(sent(user("hi"), answer)).toEqual([user("hi"), answer, user("(continue)")]);
  expect(sent()).toEqual([beginning]);
});

test("a server that has the beginning gets the new items alone, with its own ids", () => {
  const items = [output("an id with spaces", "x")] as Item[];

  expect(legalItems(items, { rules, isContinued: true })).toEqual(items);
});

test("an id that a server does not take is replaced by the same one in each request, in the output, too", () => {
  const ids = (...items: object[]) => sent(...items).map((item) => item["call_id"]);
  const [, first, answered] = ids(user("hi"), call("a:0"), output("a:0"));

  expect(first).toMatch(/^[0-9a-f]{9}$/);
  expect(answered).toBe(first);
  expect(ids(user("other"), user("words"), call("a:0"), output("a:0"))[2]).toBe(first);
});

test("of two calls with one id each keeps its own output", () => {
  const [, one, oneSeen, other, otherSeen] = sent(
    user("hi"),
    call("a"),
    output("a", "first"),
    call("a"),
    output("a", "second"),
  );

  expect([one?.["call_id"], oneSeen?.["output"]]).toEqual(["a", "first"]);
  expect(other?.["call_id"]).not.toBe("a");
  expect(otherSeen).toMatchObject({ call_id: other?.["call_id"], output: "second" });
});

test("outputs follow the calls of their answer, in their order, and a call without one gets one that says so", () => {
  const custom = { type: "custom_tool_call", call_id: "c", name: "write", input: "x" };
  const items = sent(
    user("hi"),
    call("a"),
    call("b"),
    custom,
    output("c"),
    output("b"),
    user("go"),
    output("z"),
  );

  expect(items.map((item) => `${readText(item["type"])} ${readText(item["call_id"])}`)).toEqual([
    "message ",
    "function_call a",
    "function_call b",
    "custom_tool_call c",
    "function_call_output a",
    "function_call_output b",
    "custom_tool_call_output c",
    "message ",
  ]);
  expect(items[4]).toMatchObject({ output: expect.stringContaining("OUTCOME_UNKNOWN") as string });
  expect(items[5]).toMatchObject({ output: "seen" });
});

test("reasoning that led to nothing is left out", () => {
  const reasoning = { type: "reasoning", summary: [], encrypted_content: "x" };

  expect(sent(user("hi"), reasoning, user("go"))).toEqual([user("hi"), user("go")]);
  expect(sent(user("hi"), reasoning, call("a"), output("a"))).toHaveLength(4);
});

test("an image in an output follows as a message of the user that names the call", () => {
  const items = sent(user("look"), call("a"), output("a", [{ type: "input_text", text: "one" }, png()]));

  expect(items.slice(2)).toEqual([
    output("a", [{ type: "input_text", text: "one" }]),
    {
      type: "message",
      role: "user",
      content: [{ type: "input_text", text: "(from the output of the call a)" }, png()],
    },
  ]);
  expect(sent(user("look"), call("a"), output("a", [png()]))[2]).toEqual(
    output("a", "(see the next message)"),
  );
  expect(
    legalItems([user("look"), call("a"), output("a", [png()])] as Item[], {
      rules: { ...rules, imagesInOutputs: true },
      isContinued: false,
    })[2],
  ).toEqual(output("a", [png()]));
});

/** A picture with so many bytes behind its end. */
const longPng = (bytes: number) =>
  Buffer.concat([Buffer.from(pictures.png(), "base64")], bytes).toString("base64");
const cut = (data: string, bytes: number) =>
  Buffer.from(data, "base64").subarray(0, bytes).toString("base64");

test.each([
  ["another type", pictures.gif, "an image of the type image/gif"],
  ["no base64", "?", "an image whose data cannot be read"],
  ["too many bytes", longPng(201), "an image of 201 bytes; at most 200 can be sent"],
  ["only a header", cut(pictures.png(), 33), "an image that is not whole"],
  ["no end", cut(pictures.png(4, 4), 60), "an image that is not whole"],
  ["no pixels", pictures.png(0, 1), "an image without pixels"],
  [
    "too many pixels",
    pictures.png(1, 8_001),
    "an image of 1 × 8001 pixels; at most 8000 on a side can be sent",
  ],
])("an image of %s is a text that says so", (_, data, text) => {
  const [message] = sent({ type: "message", role: "user", content: [png(data)] });

  expect(message?.["content"]).toEqual([
    { type: "input_text", text: `(${text}, which this model does not take)` },
  ]);
});

test.each(["jpeg", "gif", "webp"] as const)("a whole %s is sent, and a torn one is a text", (type) => {
  const every = { ...rules, images: [`image/${type}`], maxImageBytes: 1_000 };
  const partOf = (data: string) => {
    const image = { type: "input_image", image_url: `data:image/${type};base64,${data}` };
    const items = [{ type: "message", role: "user", content: [image] }] as Item[];
    const [message] = legalItems(items, { rules: every, isContinued: false });
    return (message!["content"] as Item[])[0]!["type"];
  };
  expect(partOf(pictures[type])).toBe("input_image");
  for (const bytes of [12, 13]) expect(partOf(cut(pictures[type], bytes))).toBe("input_text");
});

test("an image of exactly the most bytes is sent, and one that says another type gets its own", () => {
  const exact = png(longPng(200));
  const mislabelled = { type: "input_image", image_url: png().image_url.replace("image/png", "image/jpeg") };
  const [message] = sent({ type: "message", role: "user", content: [exact, mislabelled] });

  expect(message?.["content"]).toEqual([exact, png()]);
});

test("a link to an image is sent as it is, and a file of an unknown type is a text with its name", () => {
  const link = { type: "input_image", image_url: "https://a.example/x.png" };
  const file = { type: "input_file", filename: "a.zip", file_data: "data:application/zip;base64,AA==" };
  const kept = { type: "input_file", file_id: "f1" };
  const [message] = sent({ type: "message", role: "user", content: [link, file, kept] });

  expect(message?.["content"]).toEqual([
    link,
    {
      type: "input_text",
      text: "(the file a.zip of the type application/zip, which this model does not take)",
    },
    kept,
  ]);
});

test("texts have the kind of their role, blank ones are left out, and an unknown role is the developer's", () => {
  const parts = [
    "one",
    " ",
    { type: "output_text", text: "two" },
    7,
    png(),
    { type: "refusal", refusal: "no" },
  ];
  const of = (role: string) =>
    sent(user("hi"), { type: "message", role, content: parts }, user("go"))[1] as {
      role: string;
      content: { type: string; text?: string }[];
    };

  expect(of("assistant").content.map(({ type, text = "" }) => `${type} ${text}`)).toEqual([
    "output_text one",
    "output_text two",
    "refusal ",
  ]);
  expect(of("user").content.map(({ type, text = "" }) => `${type} ${text}`)).toEqual([
    "input_text one",
    "input_text two",
    "input_image ",
  ]);
  expect(of("tool").role).toBe("developer");
  expect(sent(user("hi"), user(" \n"), { type: "message", role: "user", content: [] })).toEqual([user("hi")]);
  expect(sent({ role: "user", content: "no type" })).toEqual([user("no type")]);
  expect(sent(user("hi"), { what: "no item" })).toEqual([user("hi")]);
});

test.each([
  ["", "{}"],
  [" ", "{}"],
  ['{"a":1}', '{"a":1}'],
  ["[1]", '{"invalid_json":"[1]"}'],
  ['{"a":', '{"invalid_json":"{\\"a\\":"}'],
  ['{"a":["\\ud83d"]}', '{"a":["\ufffd"]}'],
])("the arguments %j are sent as %j", (given, shown) => {
  expect(sent(user("hi"), { ...call("a"), arguments: given }, output("a"))[1]).toMatchObject({
    arguments: shown,
  });
});

test("an output without a text says so", () => {
  const shown = (given: unknown) => sent(user("hi"), call("a"), output("a", given))[2]?.["output"];

  expect([shown(""), shown([]), shown(null), shown([{ type: "input_text", text: " " }])]).toEqual(
    Array.from({ length: 4 }, () => "(no output)"),
  );
});

test.each(["jpeg", "gif", "webp"] as const)("an image that says PNG and is a %s is sent as that", (type) => {
  const all = { ...rules, images: [`image/${type}`], maxImageBytes: 1_000 };
  const data = pictures[type];
  const item = { type: "message", role: "user", content: [png(data)] } as Item;
  const [message] = legalItems([item], { rules: all, isContinued: false });

  expect(message?.["content"]).toEqual([
    { type: "input_image", image_url: `data:image/${type};base64,${data}` },
  ]);
});

test.each([
  ["RIFF\x01\x02\x03\x04WAVEfmt ", "RIFF of another kind"],
  ["WEBPRIFF\x01\x02\x03\x04", "the word elsewhere"],
])("bytes that are no image of the type that is said are not sent: %j", (head) => {
  const data = Buffer.from(head, "latin1").toString("base64");
  const [message] = sent({ type: "message", role: "user", content: [png(data)] });

  expect(message?.["content"]).toEqual([
    { type: "input_text", text: "(an image that is not whole, which this model does not take)" },
  ]);
});
