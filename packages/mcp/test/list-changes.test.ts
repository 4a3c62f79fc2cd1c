import {
  createHost,
  createMemoryStore,
  data,
  defineTool,
  type Host,
  type HostOptions,
  type SessionStore,
  type ModeSummary,
  type ToolContext,
} from "@toolmount/core";
import { changeSessionMode } from "@toolmount/core/sessions";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { add, connectHttp, connectStreams, eras } from "./support.ts";

/** A tool without arguments that does something to the host, and is offered in every mode. */
function toolOf(name: string, act: (context: ToolContext) => void) {
  return defineTool({
    name,
    description: `Does ${name}. Use in tests.`,
    schema: z.strictObject({}),
    category: "write",
    consequenceLevel: "low",
    requiresConfirmation: false,
    alwaysOffered: true,
    execute: (_, context) => {
      if (context !== undefined) act(context);
      return data(null);
    },
  });
}

const modes: ModeSummary[] = [];

/** A host of many tools, of which a session activates some, and the number of times that a tool was considered for an offer. */
function world(count: number, options: HostOptions = {}) {
  const host: Host = createHost(options);
  onTestFinished(async () => void (await host.close()));
  let considered = 0;
  const { coordinator } = host;
  coordinator.mount("policies", {
    name: "counter",
    prepare: () => null,
    hides: () => ++considered < 0,
  });
  modes.splice(0, modes.length, modeOf("general", { isDefault: true }), modeOf("narrow", { tools: [] }));
  coordinator.mount("mode-catalog", { listModes: async () => structuredClone(modes) });
  coordinator.registerCapability("tools.disclosure", "progressive");
  for (let at = 0; at < count; at++) coordinator.mount("tools", { ...add, name: `add_${at}` });
  const sessionOf = (context: { sessionId?: string | undefined }) => host.session(context.sessionId ?? "");
  const acts: Record<string, (context: ToolContext) => void> = {
    activate: (context) => sessionOf(context).activate(["add_0"]),
    narrow: (context) => changeSessionMode(sessionOf(context).state, "narrow"),
    widen: () => void modes.splice(1, 1, modeOf("narrow")),
    look: () => {},
  };
  for (const [name, act] of Object.entries(acts)) coordinator.mount("tools", toolOf(name, act));
  return { host, considered: () => considered };
}

function modeOf(key: string, fields: Partial<ModeSummary> = {}): ModeSummary {
  const texts = { id: key, displayName: key, description: key, systemPromptSummary: "" };
  return { ...texts, key, isDefault: false, ...fields };
}

/** A client that notes how often it was notified of another list. */
async function clientOf(host: Host, connect: typeof connectStreams, era: (typeof eras)[number]) {
  const waiting: (() => void)[] = [];
  const client = await connect(
    host,
    era,
    {},
    {
      listChanged: { tools: { autoRefresh: false, onChanged: () => waiting.shift()?.() } },
    },
  );
  const call = (name: string, args = {}) => client.callTool({ name, arguments: args });
  return {
    call,
    names: async () => (await client.listTools()).tools.map(({ name }) => name),
    /** Does something, and waits for the notification. */
    notifiedOf: (act: () => Promise<unknown>) =>
      new Promise<void>((resolve, reject) => {
        waiting.push(resolve);
        act().catch(reject);
      }),
  };
}

test.each([
  ["over a pair of streams", "legacy", connectStreams],
  ["over a pair of streams", "modern", connectStreams],
  ["over HTTP", "legacy", connectHttp],
] as const)("%s (%s), a call that changes nothing looks at no tool of the host", async (_, era, connect) => {
  const { host, considered } = world(100);
  const client = await clientOf(host, connect, era);
  await client.names();
  await host.call({ name: "look", arguments: {} }); // every watcher has looked once since the catalog was read
  await client.notifiedOf(() => client.call("activate"));
  const before = considered();

  for (let at = 0; at < 20; at++) await client.call("add_0", { a: 1, b: at });
  await host.call({ name: "look", arguments: {} });
  host.coordinator.hooks.observe("tool:pre", () => {});
  await client.call("look");
  // The looks of a watcher follow each other: this one is the last, and the only one that read the tools.
  await client.notifiedOf(() => client.call("narrow"));

  expect(considered() - before).toBe(104);
});

test.each(eras)("%s: each change of what a session is offered reaches its client", async (era) => {
  const { host } = world(1);
  const client = await clientOf(host, connectStreams, era);
  const always = ["activate", "look", "narrow", "widen"];
  expect(await client.names()).toEqual(always);

  await client.notifiedOf(() => client.call("activate"));
  expect(await client.names()).toEqual(["activate", "add_0", "look", "narrow", "widen"]);
  await client.notifiedOf(() => client.call("narrow"));
  expect(await client.names()).toEqual(always);
  // The catalog gives the mode another list; a call reads it.
  await client.notifiedOf(async () => {
    await client.call("widen");
    await client.call("look");
  });
  expect(await client.names()).toContain("add_0");
  await client.notifiedOf(async () => {
    host.coordinator.unmount("tools", "add_0");
    await host.coordinator.hooks.emit("mcp:changed", {});
  });
  expect(await client.names()).toEqual(always);
});

test("a served call reads the state of its session once from the store", async () => {
  const kept = createMemoryStore();
  let reads = 0;
  const readState: SessionStore["readState"] = (id) => (reads++, kept.sessions.readState(id));
  const { host } = world(1, { store: { ...kept, sessions: { ...kept.sessions, readState } } });
  const client = await clientOf(host, connectStreams, "legacy");
  await client.notifiedOf(() => client.call("activate"));
  const before = reads;

  for (let at = 0; at < 5; at++) await client.call("add_0", { a: 1, b: at });

  expect(reads - before).toBe(5);
});
