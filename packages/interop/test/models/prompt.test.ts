import { describe, expect, test } from "vitest";
import { toPrompt } from "../../src/models/prompt.ts";

const v4 = { provider: "acme.chat", specificationVersion: "v4" } as const;
const v3 = { provider: "acme.chat", specificationVersion: "v3" } as const;
const own = { provider: "acme.chat", metadata: { acme: { id: "x" } } };
const other = { provider: "other", metadata: { other: { id: "y" } } };

/** The messages that a provider gets of these items, and what is left out. */
const promptOf = (items: readonly object[], language: typeof v3 | typeof v4 = v4) =>
  toPrompt("", items as never, language);
const user = (...content: object[]) => ({ role: "user", content });
const assistant = (...content: object[]) => ({ role: "assistant", content });
const said = (text: string) => ({ type: "text", text });
const message = (role: string, content: unknown, more: object = {}) => ({
  type: "message",
  role,
  content,
  ...more,
});

describe("messages", () => {
  test.each<[string, readonly object[], readonly object[]]>([
    ["none", [], []],
    ["a text of the user", [message("user", "hi")], [user(said("hi"))]],
    ["a text in parts", [message("user", [{ type: "input_text", text: "a" }, "b"])], [user(said("ab"))]],
    [
      "parts without a text",
      [message("user", [null, 7, { type: "input_text", text: "a" }, {}])],
      [user(said("a"))],
    ],
    ["no text at all", [message("user", [])], []],
    ["no content", [message("user", undefined)], []],
    ["a developer's text, as the user's", [message("developer", "be brief")], [user(said("be brief"))]],
    [
      "a text of the assistant",
      [message("assistant", [{ type: "output_text", text: "yes" }])],
      [assistant(said("yes"))],
    ],
    ["a refusal", [message("assistant", [{ type: "refusal", refusal: "no" }])], [assistant(said("no"))]],
    [
      "metadata of the same provider",
      [message("assistant", "a", { provider_metadata: own })],
      [assistant({ ...said("a"), providerOptions: own.metadata })],
    ],
    [
      "metadata of another provider",
      [message("assistant", "a", { provider_metadata: other })],
      [assistant(said("a"))],
    ],
    [
      "metadata without content",
      [message("assistant", "a", { provider_metadata: { provider: "acme.chat" } })],
      [assistant(said("a"))],
    ],
    ["metadata of a user", [message("user", "a", { provider_metadata: own })], [user(said("a"))]],
    [
      "several of one role",
      [message("user", "a"), message("developer", "b"), message("assistant", "c"), message("user", "d")],
      [user(said("a"), said("b")), assistant(said("c")), user(said("d"))],
    ],
  ])("of %s", (_, items, messages) => {
    const { messages: made, omitted } = promptOf(items);

    expect(made).toStrictEqual(messages);
    expect(omitted.filter((what) => !what.startsWith("a part of the type"))).toEqual([]);
  });

  test("begin with the instructions, where there are any", () => {
    expect(toPrompt("Be brief.", [message("user", "a")] as never, v4).messages).toStrictEqual([
      { role: "system", content: "Be brief." },
      user(said("a")),
    ]);
  });

  test("are marked for the cache at the instructions and at the last one", () => {
    const mark = { acme: { keep: true } };
    const items = [message("user", "a"), message("assistant", "b"), message("user", "c")] as never;

    expect(toPrompt("I", items, v4, mark).messages).toStrictEqual([
      { role: "system", content: "I", providerOptions: mark },
      user(said("a")),
      assistant(said("b")),
      { ...user(said("c")), providerOptions: mark },
    ]);
    expect(toPrompt("I", [], v4, mark).messages).toStrictEqual([
      { role: "system", content: "I", providerOptions: mark },
    ]);
    expect(toPrompt("", [], v4, mark).messages).toEqual([]);
  });
});

const png = "data:image/png;base64,iVBO";
const pdf = "data:application/pdf;base64,JVBE";

describe("files", () => {
  test.each<[typeof v3 | typeof v4, object]>([
    [v4, { type: "data", data: "iVBO" }],
    [v3, "iVBO" as never],
  ])("of a user are in the message, as specification %j has them", (language, data) => {
    const content = [
      { type: "input_text", text: "look" },
      { type: "input_image", image_url: png },
      { type: "input_file", file_data: pdf, filename: "a.pdf" },
    ];

    expect(promptOf([message("user", content)], language)).toStrictEqual({
      messages: [
        user(
          said("look"),
          { type: "file", mediaType: "image/png", data },
          {
            type: "file",
            mediaType: "application/pdf",
            filename: "a.pdf",
            data: language === v4 ? { type: "data", data: "JVBE" } : "JVBE",
          },
        ),
      ],
      omitted: [],
    });
    expect(promptOf([message("user", content.slice(1, 2))]).messages).toHaveLength(1);
  });

  test.each<[object, string]>([
    [
      { type: "input_image", image_url: "https://a.test/x.png" },
      "an image that is not in the message itself",
    ],
    [{ type: "input_image" }, "an image that is not in the message itself"],
    [{ type: "input_image", image_url: "data:image/png,raw" }, "an image that is not in the message itself"],
    [{ type: "input_file", file_id: "f" }, "a file that is not in the message itself"],
    [{ type: "input_audio" }, "a part of the type input_audio"],
    [{ text: "x" }, "a part of the type "],
  ])("%j is left out, and that is said once", (part, what) => {
    const { messages, omitted } = promptOf([
      message("user", [{ type: "input_text", text: "a" }, part, part]),
    ]);

    expect(omitted).toEqual([what]);
    expect(JSON.stringify(messages)).not.toContain("file");
  });

  test("of an assistant are nothing that a provider takes", () => {
    expect(promptOf([message("assistant", [{ type: "input_image", image_url: png }])])).toEqual({
      messages: [],
      omitted: [],
    });
  });
});

describe("reasoning", () => {
  const reasoning = (more: object) => ({
    type: "reasoning",
    summary: [{ type: "summary_text", text: "let " }, 7, { text: "me see" }],
    ...more,
  });
  const thought = { type: "reasoning", text: "let me see" };

  test.each<[string, object, readonly object[], readonly string[]]>([
    ["without metadata is given as a text", {}, [assistant(thought)], []],
    [
      "of the same provider has what only it understands",
      { provider_metadata: own },
      [assistant({ ...thought, providerOptions: own.metadata })],
      [],
    ],
    ["of another provider is left out", { provider_metadata: other }, [], ["reasoning of another provider"]],
    [
      "that is encrypted is left out",
      { encrypted_content: "x" },
      [],
      ["encrypted reasoning of another provider"],
    ],
    ["without a summary is empty", { summary: null }, [assistant({ type: "reasoning", text: "" })], []],
  ])("%s", (_, more, messages, omitted) => {
    expect(promptOf([reasoning(more)])).toStrictEqual({ messages, omitted });
  });
});
