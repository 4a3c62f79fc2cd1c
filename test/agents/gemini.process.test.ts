import { GoogleGenAI, type Content } from "@google/genai";
import type { Host } from "@toolmount/core";
import { toGeminiCallable } from "@toolmount/interop";
import { geminiApi, type ProviderScript } from "@toolmount/testing/providers";
import { expect, test } from "vitest";
import { agentWorld, throughJson } from "./support/world.ts";

/** Says that a call waits, when it reads so. */
const script: ProviderScript = (at, request) => {
  if (at === 0) return { calls: [{ id: "", name: "read_note", arguments: '{"id":"n-1"}' }] };
  if (at === 1) return { calls: [{ id: "", name: "wipe", arguments: '{"folder":"old"}' }] };
  return {
    text: JSON.stringify(request).includes("waiting for a person") ? "I wait." : "The folder is gone.",
  };
};

async function world() {
  const made = await agentWorld(geminiApi, script);
  const origin = new URL(made.server.baseUrl).origin;
  const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: origin } });
  const callableOf = (host: Host) => toGeminiCallable(host, host.tools(), { sessionId: "s", userId: "ann" });
  const ask = async (host: Host, contents: Content[]) => {
    const response = await client.models.generateContent({
      model: "m",
      contents,
      config: { tools: [callableOf(host)] },
    });
    const { text, automaticFunctionCallingHistory: history = [] } = response;
    return { text, history: throughJson(history) };
  };
  return { ...made, ask, callableOf };
}

const prompt: Content[] = [{ role: "user", parts: [{ text: "Read the note, then wipe the folder." }] }];

test("automatic function calling: a call that asks waits; it is answered in another process, and runs once in a third", async () => {
  const { open, decide, ran, ask, callableOf, server } = await world();
  const { text, history } = await ask(await open(), prompt);
  expect(text).toBe("I wait.");
  expect(ran).toEqual(["read n-1"]);
  expect(await callableOf(await open()).resume(history)).toBeNull();
  expect(await decide()).toBe("wipe");

  const host = await open();
  const contents = await callableOf(host).resume(history);
  expect((await ask(host, contents!)).text).toBe("The folder is gone.");
  expect(ran).toEqual(["read n-1", "wipe old"]);
  expect(await host.approvals.list()).toEqual([]);
  expect(JSON.stringify(server.requests[1])).toContain("iVBORw0KGgo"); // the image of the note
  expect(JSON.stringify(server.requests.at(-1))).toContain("iVBORw0KGgo");
});

test("a denied call is an error with its reason", async () => {
  const { open, decide, ran, ask, callableOf, server } = await world();
  const { history } = await ask(await open(), prompt);
  await decide("deny");
  const host = await open();
  const contents = await callableOf(host).resume(history);
  await ask(host, contents!);
  expect(ran).toEqual(["read n-1"]);
  expect(JSON.stringify(server.requests.at(-1))).toContain("not today");
});
