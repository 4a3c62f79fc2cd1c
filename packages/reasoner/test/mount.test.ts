import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { createHost } from "@toolmount/core";
import { expect, test } from "vitest";
import { config, mount } from "../src/index.ts";

const sources = join(import.meta.dirname, "../src");

/** Names of events in the calls and in the parameters of a source that emit them. */
async function emittedIn(file: string): Promise<string[]> {
  const text = await readFile(join(sources, file), "utf8");
  if (file === "events.ts") return [];
  // It observes the events of calls, and imports modules of Node.
  return [...text.matchAll(/"((?!tool:|node:)[a-z_]+:[a-z_]+)"/g)].map(([, name]) => name!);
}

test("AMP-16: a mounted reasoner contributes the events that it emits, all of them and no other", async () => {
  const host = createHost();
  await mount(host.coordinator, config.parse({ model: "m" }));
  const [contributed] = await host.coordinator.collectContributions("observability.events");
  await host.close();

  const files = await readdir(sources, { recursive: true });
  const emitted = await Promise.all(files.filter((file) => file.endsWith(".ts")).map(emittedIn));
  expect((contributed as string[]).toSorted()).toEqual([...new Set(emitted.flat())].toSorted());
});

test("a mounted reasoner is the host's orchestrator", async () => {
  const host = createHost();
  await mount(host.coordinator, config.parse({ model: "m" }));

  expect(host.coordinator.get("orchestrator")).toMatchObject({ spawn: expect.any(Function) });
  await host.close();
});

test("a mounted reasoner registers what begins sub-agents, with the agents of its config", async () => {
  const host = createHost();
  const helper = { description: "Helps." };
  await mount(host.coordinator, config.parse({ model: "m", agents: { helper } }));
  const { spawn } = host.coordinator.get("orchestrator") as { readonly spawn: unknown };

  expect(host.coordinator.getCapability("session.spawn")).toBe(spawn);
  expect(host.coordinator.getCapability("session.resume")).toBe(spawn);
  expect(host.coordinator.getCapability("session.agents")?.()).toEqual([{ name: "helper", ...helper }]);
  await host.close();
});
