import {
  createHost,
  createMemoryStore,
  data,
  type EventData,
  type HostOptions,
  type ToolDefinition,
} from "@toolmount/core";
import { z } from "zod";
import { config, mount } from "../src/index.ts";

/** A tool for tests: what a test does not care about has a default. */
export function tool(name: string, fields: Partial<ToolDefinition> = {}): ToolDefinition {
  return {
    name,
    description: "Does what a test needs. Use it in tests.",
    schema: z.looseObject({}),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: (params) => data(params),
    ...fields,
  };
}

/** A host with a policy as a plan would write it, and every event. */
export async function world(policy: unknown, tools: readonly ToolDefinition[], options: HostOptions = {}) {
  const host = createHost({ store: createMemoryStore(), ...options });
  const events: { readonly event: string; readonly data: EventData }[] = [];
  host.coordinator.hooks.observe("*", (event, reported) => void events.push({ event, data: reported }));
  await mount(host.coordinator, config.parse(policy));
  for (const one of tools) host.coordinator.mount("tools", one);
  return { host, events };
}
