import { describe, expect, onTestFinished, test } from "vitest";
import {
  anthropicApi,
  chatApi,
  geminiApi,
  responsesApi,
  startProvider,
  type ProviderApi,
  type ProviderRequest,
} from "../src/providers.ts";

const half = "\ud83d";
const gif = "data:image/gif;base64,iVBORw0KGgoAAAANSUhEUgAA"; // the bytes of a png
const user = { role: "user", content: "hi" };
const functionTool = (name: string) => ({ type: "function", name, parameters: { type: "object" } });

const call = { type: "function_call", call_id: "c", name: "f", arguments: "{}" };
const output = { type: "function_call_output", call_id: "c", output: "x" };
const input = (...items: readonly object[]) => ({ input: [user, ...items] });

const chatCall = (more: object = {}, called: object = {}) => ({
  role: "assistant",
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}", ...called }, ...more }],
});
const chatOutput = { role: "tool", tool_call_id: "c", content: "x" };
const messages = (...given: readonly object[]) => ({ messages: [user, ...given] });

const use = { type: "tool_use", id: "c", name: "f", input: {} };
const result = { type: "tool_result", tool_use_id: "c", content: "x" };
const blocks = (role: string, ...content: readonly object[]) => ({ role, content });
const claude = (...given: readonly object[]) => ({ max_tokens: 9, messages: [user, ...given] });

const said = { role: "user", parts: [{ text: "hi" }] };
const model = (...parts: readonly object[]) => ({ role: "model", parts });
const functionCall = { functionCall: { name: "f", args: {} } };
const response = { functionResponse: { name: "f", response: {} } };
const contents = (...given: readonly object[]) => ({ contents: [said, ...given] });
const declared = (name: string) => ({ tools: [{ functionDeclarations: [{ name }, { name }] }] });

/** One request that follows every rule, and one that breaks each. */
const cases: readonly {
  api: ProviderApi;
  legal: ProviderRequest;
  breaking: Record<string, ProviderRequest>;
}[] = [
  {
    api: responsesApi,
    legal: input(call, output),
    breaking: {
      "input-not-empty": { input: [] },
      "item-type": input({ ...call, provider_metadata: {} }, output),
      "message-role": input({ role: "tool", content: "x" }),
      "message-content": input({ role: "assistant", content: [{ type: "input_text", text: "x" }] }),
      "image-data": input({ role: "user", content: [{ type: "input_image", image_url: gif }] }),
      "file-data": input(call, {
        ...output,
        output: [{ type: "input_file", file_data: "data:application/pdf;base64,JVBERi0x" }], // without a name
      }),
      "call-id": input({ ...call, call_id: "x".repeat(65) }, { ...output, call_id: "x".repeat(65) }),
      "call-name": input({ ...call, name: "a.b" }, output),
      "call-arguments": input({ ...call, arguments: {} }, output),
      "call-has-output": input(call),
      "output-has-call": input(output),
      "output-content": input(call, { ...output, output: [] }),
      "reasoning-followed": input({ type: "reasoning", encrypted_content: "x" }, user),
      "reasoning-own": input({ type: "reasoning", summary: [] }, call, output),
      "tool-schema": {
        ...input(),
        tools: [
          { ...functionTool("f"), parameters: { type: "object", properties: { a: { type: "array" } } } },
        ],
      },
      "tool-definition": { ...input(), tools: [functionTool("f"), functionTool("f")] },
      "text-well-formed": { input: [{ role: "user", content: half }] },
    },
  },
  {
    api: chatApi,
    legal: messages(chatCall(), chatOutput),
    breaking: {
      "messages-not-empty": { messages: [{ role: "system", content: "x" }] },
      "message-role": messages({ role: "model", content: "x" }),
      "user-content": { messages: [{ role: "user", content: [] }] },
      "assistant-content": messages({ role: "assistant", content: null }),
      "call-id": messages(chatCall({ id: "x".repeat(41) }), { ...chatOutput, tool_call_id: "x".repeat(41) }),
      "call-name": messages(chatCall({}, { name: "a.b" }), chatOutput),
      "call-arguments": messages(chatCall({}, { arguments: "[1]" }), chatOutput),
      "calls-answered": messages(chatCall(), user),
      "output-has-call": messages(chatOutput),
      "output-content": messages(chatCall(), { ...chatOutput, content: [{ type: "image_url" }] }),
      "image-data": {
        messages: [{ role: "user", content: [{ type: "image_url", image_url: { url: gif } }] }],
      },
      "file-data": {
        messages: [
          { role: "user", content: [{ type: "file", file: { filename: "a.pdf", file_data: "JVBERi0x" } }] },
        ],
      },
      "tool-schema": {
        ...messages(),
        tools: [
          {
            type: "function",
            function: { name: "f", parameters: { type: "object", properties: { a: { pattern: "^(?!b)" } } } },
          },
        ],
      },
      "tool-definition": { ...messages(), tools: [{ type: "function", function: { name: "f" } }] },
      "text-well-formed": { messages: [{ role: "user", content: half }] },
    },
  },
  {
    api: anthropicApi,
    legal: claude(blocks("assistant", use), blocks("user", result)),
    breaking: {
      "max-tokens": { messages: [user] },
      "user-first": { max_tokens: 9, messages: [{ role: "assistant", content: "x" }, user] },
      "user-last": claude({ role: "assistant", content: "x" }),
      "message-role": { max_tokens: 9, messages: [user, { role: "system", content: "x" }, user] },
      "content-not-empty": { max_tokens: 9, messages: [{ role: "user", content: "\n" }] },
      "block-type": claude(blocks("user", { type: "thinking", signature: "x" })),
      "text-not-blank": claude(blocks("user", { type: "text", text: " " })),
      "thinking-signed": claude(blocks("assistant", { type: "thinking", thinking: "x" }), user),
      "call-id": claude(
        blocks("assistant", { ...use, id: "a|b" }),
        blocks("user", { ...result, tool_use_id: "a|b" }),
      ),
      "call-name": claude(blocks("assistant", { ...use, name: "a.b" }), blocks("user", result)),
      "call-input": claude(blocks("assistant", { ...use, input: [] }), blocks("user", result)),
      "calls-answered": claude(blocks("assistant", use), blocks("user", { type: "text", text: "x" }, result)),
      "output-has-call": claude(blocks("user", result)),
      "output-error": claude(
        blocks("assistant", use),
        blocks("user", {
          ...result,
          is_error: true,
          content: [{ type: "image", source: { type: "url", url: "https://example.com/a.png" } }],
        }),
      ),
      "image-data": claude(
        blocks("user", { type: "image", source: { type: "base64", media_type: "image/bmp", data: "aGk=" } }),
      ),
      "file-data": claude(
        blocks("user", {
          type: "document",
          source: { type: "base64", media_type: "application/pdf", data: "aGk=" },
        }),
      ),
      "system-not-blank": { ...claude(), system: [{ type: "text", text: "" }] },
      "tool-schema": {
        ...claude(),
        tools: [{ name: "f", input_schema: { type: "object", properties: { "a b": {} } } }],
      },
      "tool-definition": { ...claude(), tools: [{ name: "a.b", input_schema: { type: "object" } }] },
      "text-well-formed": { max_tokens: 9, messages: [{ role: "user", content: `a${half}` }] },
    },
  },
  {
    api: geminiApi,
    legal: contents(model(functionCall), { role: "user", parts: [response] }),
    breaking: {
      "contents-not-empty": { contents: [] },
      "content-role": contents({ role: "assistant", parts: [{ text: "x" }] }, said),
      "user-first": { contents: [model({ text: "x" }), said] },
      "user-last": contents(model({ text: "x" })),
      "parts-not-empty": contents({ role: "user", parts: [{}] }),
      "text-not-empty": contents({ role: "user", parts: [{ text: "" }] }),
      "image-data": contents({
        role: "user",
        parts: [{ inlineData: { mimeType: "image/gif", data: "aGk=" } }],
      }),
      "file-data": contents(model(functionCall), {
        role: "user",
        parts: [
          {
            functionResponse: {
              ...response.functionResponse,
              parts: [{ inlineData: { mimeType: "application/zip", data: "aGk=" } }],
            },
          },
        ],
      }),
      "call-name": contents(model({ functionCall: { name: "2f", args: {} } }), {
        role: "user",
        parts: [{ functionResponse: { name: "2f", response: {} } }],
      }),
      "call-args": contents(model({ functionCall: { name: "f", args: [] } }), {
        role: "user",
        parts: [response],
      }),
      "call-order": contents(model({ text: "x" }), model(functionCall), { role: "user", parts: [response] }),
      "calls-answered": contents(model(functionCall, functionCall), { role: "user", parts: [response] }),
      "output-has-call": contents({ role: "user", parts: [response] }),
      "output-object": contents(model(functionCall), {
        role: "user",
        parts: [{ functionResponse: { name: "f", response: "x" } }],
      }),
      "tool-definition": { ...contents(), ...declared("f") },
      "text-well-formed": { contents: [{ role: "user", parts: [{ text: half }] }] },
    },
  },
];

describe.each(cases.map((row) => ({ ...row, name: row.api.name })))("$name", ({ api, legal, breaking }) => {
  test("takes a request that follows its rules, and names the rule that another one breaks", () => {
    expect(api.check(legal)).toEqual([]);
    expect(Object.keys(breaking).toSorted()).toEqual(Object.keys(api.rules).toSorted());
    for (const [rule, request] of Object.entries(breaking))
      expect([rule, api.check(request).map((found) => found.rule)]).toEqual([
        rule,
        expect.arrayContaining([rule]),
      ]);
  });

  test("its server refuses what breaks a rule, and what is longer than the window", async () => {
    const server = await startProvider(api, () => ({ text: "ok" }), { window: 200 });
    onTestFinished(() => server.close());
    const ask = async (request: object) => {
      const answered = await fetch(server.baseUrl, { method: "POST", body: JSON.stringify(request) });
      return [answered.status, await answered.text()];
    };
    const [rule, wrong] = Object.entries(breaking)[0]!;

    expect(await ask(legal)).toEqual([200, expect.stringContaining("ok")]);
    expect(await ask(wrong)).toEqual([400, expect.stringContaining(rule)]);
    expect(server.broken.map((found) => found.rule)).toContain(rule);
    expect(await ask({ ...legal, padding: "x".repeat(1_000) })).toEqual([
      400,
      expect.stringMatching(/context window|maximum context length|prompt is too long|token count/),
    ]);
    expect([server.requests.length, server.shared[0]]).toEqual([3, 0]);
  });
});
