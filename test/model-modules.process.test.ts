import { once } from "node:events";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { json } from "node:stream/consumers";
import { createMemoryStore, silentLogger } from "@toolmount/core";
import { openHost, type OpenedHost } from "@toolmount/loader";
import type { Reasoner } from "@toolmount/reasoner";
import { expect, onTestFinished, test } from "vitest";

/** A folder with a plan and files, and the host that is opened from it. */
async function openPlan(files: Readonly<Record<string, string>>) {
  const folder = await realpath(await mkdtemp(join(tmpdir(), "toolmount-models-")));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  const open = async () => {
    const host = await openHost(join(folder, "plan.yaml"), {
      logger: silentLogger,
      store: createMemoryStore(),
      extensions: { "@toolmount/reasoner": () => import("@toolmount/reasoner") },
    });
    onTestFinished(async () => void (await host.close()));
    return host;
  };
  return { folder, open };
}

const ask = (host: OpenedHost, settings = {}) =>
  (host.coordinator.get("orchestrator") as Reasoner).run(host, { prompt: "hi", settings });

const planOf = (agent: object) => JSON.stringify({ version: 1, agent, tools: [] }, null, 2);

const ownModel = `
export async function open(model, { config, apiKey }) {
  return {
    provider: "own",
    model,
    abilities: { tools: true, parallelCalls: true, streaming: true, serverState: false },
    async *respond({ items }) {
      const said = model + " " + config.greeting + " " + apiKey + " " + items.at(-1).content;
      const usage = { requests: 1, inputTokens: 1, cachedTokens: 0, outputTokens: 1, reasoningTokens: 0 };
      const item = { type: "message", role: "assistant", content: said };
      yield { type: "finish", items: [item], usage, responseId: null, model, incomplete: null };
    },
  };
}
`;

test("a plan names a module beside it as the provider of its model, and no tool may write that module", async () => {
  const provider = { module: "./my-model.ts", config: { greeting: "hello" } };
  const { folder, open } = await openPlan({
    "plan.yaml": planOf({ model: "tiny", apiKey: "k", provider }),
    "my-model.ts": ownModel,
  });
  const host = await open();

  expect(await ask(host)).toMatchObject({ status: "done", text: "tiny hello k hi" });
  expect(await ask(host, { model: "small" })).toMatchObject({ text: "small hello k hi" });
  expect(host.coordinator.getCapability("session.protected_paths")).toContain(join(folder, "my-model.ts"));
});

/** A server of the Messages API that says the key and the model it was asked with. */
async function serveMessages() {
  const server = createServer(async (request, answer) => {
    const { model } = (await json(request)) as { readonly model: string };
    answer.writeHead(200, { "content-type": "application/json" });
    answer.end(
      JSON.stringify({
        id: "msg_1",
        type: "message",
        role: "assistant",
        model,
        content: [{ type: "text", text: `${model} with ${String(request.headers["x-api-key"])}` }],
        stop_reason: "end_turn",
        stop_sequence: null,
        usage: { input_tokens: 1, output_tokens: 1 },
      }),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test("a plan names any package of the AI SDK as the provider, which is resolved from the plan's folder", async () => {
  const baseUrl = await serveMessages();
  const provider = { module: "@ai-sdk/anthropic", config: { apiKey: "from-config" } };
  const { folder, open } = await openPlan({
    "plan.yaml": planOf({ model: "claude", baseUrl, stream: false, provider }),
  });
  const missing = await open();
  await expect(ask(missing)).rejects.toMatchObject({
    code: "EXTENSION_MISSING",
    details: { install: "npm install @ai-sdk/anthropic" },
  });

  await mkdir(join(folder, "node_modules/@ai-sdk"), { recursive: true });
  const installed = await realpath(join(import.meta.dirname, "node_modules/@ai-sdk/anthropic"));
  await symlink(installed, join(folder, "node_modules/@ai-sdk/anthropic"), "dir");
  expect(await ask(await open())).toMatchObject({ status: "done", text: "claude with from-config" });
});

test("a turn with another provider's model leaves the plan's module, server and key out", async () => {
  const { open } = await openPlan({
    "plan.yaml": planOf({ model: "tiny", apiKey: "k", provider: { module: "./my-model.ts", config: {} } }),
    "my-model.ts": ownModel,
  });

  await expect(ask(await open(), { model: "anthropic:claude" })).rejects.toThrow(
    /no API key for "anthropic"/,
  );
});

const broken = {
  "throws at its import": { text: "throw new Error('no licence');", says: /its import failed: no licence/ },
  "has no factory": { text: "export const nothing = 1;", says: /no open and no create… export/ },
  "has two factories": {
    text: "export const createA = () => {}; export const createB = () => {};",
    says: /createA, createB; name one with provider.export/,
  },
  "opens something that is no model": {
    text: "export const open = async () => ({});",
    says: /did not return a Model/,
  },
  "opens a model of an old specification": {
    text: "export const createOld = () => () => ({ specificationVersion: 'v2', provider: 'old', modelId: 'm' });",
    says: /implements specification "v2"/,
  },
};

test.each(Object.entries(broken))(
  "a provider's module that %s is a clear error before the turn",
  async (_, { text, says }) => {
    const { open } = await openPlan({
      "plan.yaml": planOf({ model: "m", provider: { module: "./broken.ts" } }),
      "broken.ts": text,
    });
    const host = await open();

    await expect(ask(host)).rejects.toThrow(says);
    expect(await (host.coordinator.get("orchestrator") as Reasoner).list()).toEqual([]);
  },
);

test("a provider's module that does not exist is an error that names it", async () => {
  const { folder, open } = await openPlan({
    "plan.yaml": planOf({ model: "m", provider: { module: "./gone.ts" } }),
  });
  await expect(ask(await open())).rejects.toMatchObject({
    code: "SOURCE_NOT_FOUND",
    details: { source: "./gone.ts" },
  });
  expect(await readFile(join(folder, "plan.yaml"), "utf8")).toContain("./gone.ts");
});
