import {
  anthropicApi,
  chatApi,
  geminiApi,
  responsesApi,
  startProvider,
  type ProviderApi,
  type ProviderOptions,
  type ProviderReply,
} from "@toolmount/testing/providers";
import { expect, onTestFinished } from "vitest";

export type Reply = ProviderReply;
export type Wire = ProviderApi;
export { anthropicApi as anthropic, chatApi as chat, geminiApi as gemini, responsesApi as responses };

/** A strict server of one wire on loopback. The test fails when a request broke a rule of its API. */
export async function serveWire(
  wire: Wire,
  replies: Parameters<typeof startProvider>[1],
  options: ProviderOptions = {},
) {
  const server = await startProvider(wire, replies, options);
  onTestFinished(async () => {
    await server.close();
    expect(server.broken, wire.name).toEqual([]);
  });
  return server;
}
