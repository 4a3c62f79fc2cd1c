import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createAiSdkModel } from "../../src/models/ai-sdk-model.ts";
import { chooseModel, findLocalServers } from "../../src/models/local-servers.ts";
import { listServerModels } from "../../src/models/providers.ts";
import { readTextCalls } from "../../src/models/text-calls.ts";

/** A server with one answer, and what it was asked. */
async function server(answer: unknown, status = 200) {
  const seen: unknown[] = [];
  const made = createServer(({ method, url, headers }, response) => {
    seen.push([method, url, headers.authorization]);
    response.writeHead(status).end(JSON.stringify(answer));
  }).listen(0, "127.0.0.1");
  await once(made, "listening");
  onTestFinished(() => void made.close());
  return {
    seen,
    baseUrl: `http://127.0.0.1:${(made.address() as AddressInfo).port}/v1`,
    port: (made.address() as AddressInfo).port,
  };
}

describe("the models of a server", () => {
  test("are the ids that it lists, sorted, and are asked for with the key where there is one", async () => {
    const { seen, baseUrl } = await server({ data: [{ id: "b" }, { id: 7 }, {}, { id: "a" }] });

    expect(await listServerModels(baseUrl)).toEqual(["a", "b"]);
    expect(await listServerModels(`${baseUrl}/`, { apiKey: "k" })).toEqual(["a", "b"]);
    expect(seen).toEqual([
      ["GET", "/v1/models", undefined],
      ["GET", "/v1/models", "Bearer k"],
    ]);
  });

  test("are not known where it answers with an error, or lists nothing", async () => {
    const failing = await server({}, 503);
    await expect(listServerModels(failing.baseUrl)).rejects.toThrow(
      `${failing.baseUrl} answered with status 503`,
    );
    expect(await listServerModels((await server({})).baseUrl)).toEqual([]);
    const { baseUrl } = await server({ data: [] });
    await expect(listServerModels(baseUrl, { signal: AbortSignal.abort() })).rejects.toThrow("abort");
  });

  test("are not asked what they can do where there is one, or where the server does not say", async () => {
    const { seen, baseUrl } = await server({ capabilities: [] });

    expect(await chooseModel({ provider: "ollama", baseUrl, models: ["a"] })).toBe("a");
    expect(await chooseModel({ provider: "vllm", baseUrl, models: ["a", "b"] })).toBe("a");
    expect(seen).toEqual([]);
    expect(await chooseModel({ provider: "ollama", baseUrl, models: ["a", "b"] })).toBe("a");
    expect(seen).toHaveLength(2);
  });

  test.each([
    ["127.0.0.1:{port}", true],
    ["http://localhost:{port}", true],
    ["127.9.9.9:{port}", true],
    ["0.0.0.0:{port}", true],
    ["http://[::1]:{port}", true],
    ["10.0.0.1:{port}", false],
    ["models.example:{port}", false],
    ["http://[", false],
  ])("are looked for at %s only on this machine", async (host, isHere) => {
    const { port } = await server({ data: [{ id: "m" }] });
    const env = { OLLAMA_HOST: host.replace("{port}", String(port)) };
    const found = (await findLocalServers(env)).filter(({ provider }) => provider === "ollama");

    expect(found).toEqual(
      isHere ? [{ provider: "ollama", baseUrl: `http://127.0.0.1:${port}/v1`, models: ["m"] }] : [],
    );
  });
});

describe("a model of the AI SDK", () => {
  const language = { specificationVersion: "v3", provider: "acme.chat", modelId: "gpt-4o" } as never;

  test("can do everything but keep a conversation at its server, unless it is said otherwise", () => {
    const all = { tools: true, parallelCalls: true, streaming: true, serverState: false };

    expect(createAiSdkModel(language)).toMatchObject({
      provider: "acme.chat",
      model: "gpt-4o",
      abilities: all,
      contextTokens: 128_000,
    });
    const abilities = { tools: false, serverState: true };
    expect(createAiSdkModel(language, { abilities, provider: "p", contextTokens: 9 })).toMatchObject({
      provider: "p",
      abilities: { ...all, tools: false },
      contextTokens: 9,
    });
  });
});

describe("a call that a model wrote into its text", () => {
  const offered = new Map([
    ["read", {}],
    ["send", {}],
  ]);
  const call = '{"name":"read","arguments":{"a":1}}';
  const read = (given: string) => {
    const found = readTextCalls(given, offered);
    return found === null
      ? null
      : [found.text, ...found.calls.map(({ name, arguments: args }) => `${name} ${args}`)];
  };

  test.each<[string, readonly string[] | null]>([
    [call, ["", 'read {"a":1}']],
    [`  ${call}\n`, ["", 'read {"a":1}']],
    [`\`\`\`json\n${call}\n\`\`\``, ["", 'read {"a":1}']],
    [`\`\`\`\n${call}\n\`\`\``, ["", 'read {"a":1}']],
    [`\`\`\`js\n${call}\n\`\`\``, null],
    [`\`\`\`json\n${call}`, null],
    [`[${call},{"name":"send","parameters":{}}]`, ["", 'read {"a":1}', "send {}"]],
    ['{"name":"read","parameters":{"b":2},"arguments":{"a":1}}', ["", 'read {"b":2}']],
    ['{"type":"function","id":"1","name":"read","arguments":"{\\"a\\":1}"}', ["", 'read {"a":1}']],
    [`<think>hm ${call}</think>${call}`, ["", 'read {"a":1}']],
    [`<think>hm</think>${call}`, ["", 'read {"a":1}']],
    [` <think>hm</think>\n${call}`, ["", 'read {"a":1}']],
    [`<think>hm ${call}`, null],
    ['{"name":"read","arguments":{"a":1},"more":1}', null],
    ['{"name":"other","arguments":{}}', null],
    ['{"name":"read","arguments":[1]}', null],
    ['{"name":"read"}', null],
    ['{"name":7,"arguments":{}}', null],
    [`[${call},7]`, null],
    ["[]", null],
    ["text", null],
    ["", null],
    [`Well. ${call}`, null],
    [`<tool_call>${call}</tool_call>`, ["", 'read {"a":1}']],
    [
      `I read.\n<tool_call>\n${call}\n</tool_call>\n<tool_call>${call}</tool_call> `,
      ["I read.", 'read {"a":1}', 'read {"a":1}'],
    ],
    [`<tool_call>${call}</tool_call> and more`, null],
    [`<tool_call>${call}`, ["", 'read {"a":1}']],
  ])("%j is read as %j", (text, calls) => {
    expect(read(text)).toEqual(calls);
  });
});
