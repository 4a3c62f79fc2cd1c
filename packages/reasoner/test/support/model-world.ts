import { createHost } from "@toolmount/core";
import { ModelOpener } from "../../src/provider/open-model.ts";
import type { ProviderOptions } from "@toolmount/testing/providers";
import { onTestFinished } from "vitest";
import type { Model } from "@toolmount/interop";
import { world, type WorldOptions } from "./world.ts";
import { serveWire, type Reply, type Wire } from "./wires.ts";

/** Packages of the AI SDK, as a plan's folder has them installed. */
export async function importPackage(name: string): Promise<Readonly<Record<string, unknown>> | null> {
  switch (name) {
    case "@ai-sdk/anthropic":
      return import("@ai-sdk/anthropic");
    case "@ai-sdk/google":
      return import("@ai-sdk/google");
    case "@ai-sdk/groq":
      return import("@ai-sdk/groq");
    case "@ai-sdk/mistral":
      return import("@ai-sdk/mistral");
    case "@ai-sdk/xai":
      return import("@ai-sdk/xai");
    default:
      return null;
  }
}

/** A host with a reasoner whose model is behind a server of one wire. */
export async function modelWorld(
  wire: Wire,
  stream: boolean,
  replies: readonly Reply[] | Parameters<typeof serveWire>[1],
  options: WorldOptions = {},
  ofServer: ProviderOptions = {},
) {
  const server = await serveWire(wire, replies, ofServer);
  const settings = { model: wire.model, baseUrl: server.baseUrl, apiKey: "k", stream, ...options.settings };
  const made = await world([], { ...options, settings });
  made.host.coordinator.registerCapability("host.import_package", importPackage);
  return { ...made, ...server };
}

/** The model of one wire, at a server. */
export async function openModel(wire: Wire, baseUrl: string): Promise<Model> {
  const host = createHost();
  onTestFinished(async () => void (await host.close()));
  host.coordinator.registerCapability("host.import_package", importPackage);
  const opener = new ModelOpener(host.coordinator);
  return opener.open({ model: wire.model, baseUrl, apiKey: "k", timeout: 60_000 });
}

export { serveWire };
