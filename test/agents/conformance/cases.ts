import type { ProviderReply, ProviderScript, ProviderServer } from "@toolmount/testing/providers";

/** What one loop did in one case. */
interface Evidence {
  /** Tools that ran, in order. */
  readonly ran: readonly string[];
  /** The answer to each prompt; null for one that failed. */
  readonly answers: readonly (string | null)[];
  readonly server: ProviderServer;
}

/** A case: what the model answers, one reply a request, and what a loop must have done in the end. */
export interface Case {
  readonly title: string;
  readonly replies: ProviderScript;
  readonly prompts?: number;
  /** APIs whose format can express it. Default: all. */
  readonly apis?: readonly string[];
  /** Whether a prompt may end with an error, which its program then knows. */
  readonly mayFail?: boolean;
  /** Beside that: no request broke a rule of the API, and each prompt had its answer. */
  readonly holds?: (evidence: Evidence) => boolean;
}

const call = (id: string, name: string, given: object | string = {}) => ({
  id,
  name,
  arguments: typeof given === "string" ? given : JSON.stringify(given),
});

const look = (id: string) => call(id, "look", { id });
const done = { text: "done" };

/** A PDF in the words of each API that takes one in a result. */
const fileForm =
  /"type":"input_file"|"type":"document"|"inlineData":\{("data":"[^"]*",)?"mimeType":"application\/pdf"/;

/** A server that refuses each request with this text, as servers say it; else it calls once, and then answers. */
const refusing =
  (text: string, message: string, first: ProviderReply): ProviderScript =>
  (at, request) =>
    JSON.stringify(request).includes(text)
      ? { status: 400, body: { error: { message, type: "invalid_request_error", code: 400 } } }
      : at === 0
        ? first
        : done;

/** Each case comes from an answer that models or servers have given; the rules are those of the APIs. */
export const cases: readonly Case[] = [
  {
    title: "two calls of one answer",
    replies: [{ calls: [look("c1"), look("c2")] }, done],
    holds: ({ ran }) => ran.length === 2,
  },
  {
    title: "a call of an answer that was cut does not run",
    replies: [{ calls: [call("c1", "purge", { folder: "/data" })], stop: "length" }, done],
    mayFail: true,
    holds: ({ ran }) => ran.length === 0,
  },
  {
    title: "the turn after an answer that was cut in a call",
    replies: [{ calls: [call("c1", "purge", { folder: "/data" })], stop: "length" }, done, done],
    prompts: 2,
    mayFail: true,
    holds: ({ answers }) => answers[1] !== null,
  },
  {
    title: "an answer of white space, then another turn",
    replies: [{ text: "\n " }, done, done],
    prompts: 2,
  },
  {
    title: "white space beside a call, then another turn",
    replies: [{ text: "\n", calls: [look("c1")] }, done, done],
    prompts: 2,
    holds: ({ ran }) => ran.length === 1,
  },
  {
    title: "a tool name that the API would refuse (multi_tool_use.parallel)",
    replies: [{ calls: [call("c1", "multi_tool_use.parallel")] }, done, done],
    prompts: 2,
  },
  {
    title: "a tool that does not exist",
    replies: [{ calls: [call("c1", "gone")] }, done, done],
    prompts: 2,
  },
  {
    title: "arguments that are not JSON",
    replies: [{ calls: [call("c1", "look", '{"id":')] }, done, done],
    prompts: 2,
    apis: ["Responses", "Chat Completions"],
    holds: ({ ran }) => ran.length === 0,
  },
  {
    title: "arguments that the tool refuses",
    replies: [{ calls: [call("c1", "look", { id: 7 })] }, done],
    holds: ({ ran }) => ran.length === 0,
  },
  {
    title: "one id for two calls of an answer",
    replies: [{ calls: [look("c1"), call("c1", "look", { id: "other" })] }, done, done],
    prompts: 2,
    holds: ({ ran }) => ran.length === 2,
  },
  {
    title: "the same id in two answers",
    replies: [{ calls: [look("c1")] }, { calls: [call("c1", "look", { id: "other" })] }, done],
    holds: ({ ran }) => ran.length === 2,
  },
  {
    title: "reasoning and signatures go back",
    replies: [{ reasoning: "c2VhbGVk", calls: [look("c1")] }, done],
    holds: ({ server }) => server.texts[1]?.includes("c2VhbGVk") === true,
  },
  {
    title: "the image of a result reaches the model",
    replies: [{ calls: [call("c1", "shot")] }, done],
    holds: ({ server }) => server.texts[1]?.includes("iVBORw0KGgo") === true,
  },
  {
    title: "the PDF of a result reaches the model as a file",
    replies: [{ calls: [call("c1", "scan")] }, done],
    apis: ["Responses", "Anthropic Messages", "Gemini"],
    holds: ({ server }) => fileForm.test(server.texts[1] ?? ""),
  },
  {
    title: "a result with half of a surrogate pair",
    replies: [{ calls: [call("c1", "odd")] }, done],
  },
  {
    title: "429, and then an answer",
    replies: [
      { status: 429, headers: { "retry-after-ms": "1", "retry-after": "0" } },
      { calls: [look("c1")] },
      done,
    ],
    holds: ({ ran }) => ran.length === 1,
  },
  {
    title: "a connection that breaks in an answer; the call runs once",
    replies: [{ breaks: true }, { calls: [look("c1")] }, done],
    holds: ({ ran }) => ran.length === 1,
  },
  {
    title: "an image that the server refuses; the session continues",
    replies: refusing("iVBORw0KGgo", "Could not process image", { calls: [call("c1", "shot")] }),
    prompts: 2,
    mayFail: true,
    holds: ({ answers }) => answers[1] !== null,
  },
  {
    title: "reasoning that the server no longer takes; the session continues",
    replies: refusing("c2VhbGVk", "Invalid `signature` in `thinking` block", {
      reasoning: "c2VhbGVk",
      calls: [look("c1")],
    }),
    prompts: 2,
    mayFail: true,
    holds: ({ answers, ran }) => answers[1] !== null && ran.length === 1,
  },
  {
    title: "a quota that is used up is not asked for again",
    replies: () => ({
      status: 429,
      body: {
        error: {
          message: "You exceeded your current quota, please check your plan and billing details.",
          type: "insufficient_quota",
          code: "insufficient_quota",
        },
      },
    }),
    mayFail: true,
    holds: ({ answers, server }) => answers[0] === null && server.texts.length === 1,
  },
];
