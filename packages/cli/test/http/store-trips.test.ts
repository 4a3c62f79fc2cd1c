// What a call over MCP costs the store: each method of it is one round trip to Postgres.
import { createHost, createMemoryStore, data, defineTool, type StateStore } from "@toolmount/core";
import { serveHttp } from "@toolmount/mcp";
import { config, mount } from "@toolmount/policy";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

/** A store that notes what it is asked for. */
function watchedStore() {
  const asked: string[] = [];
  const watch = <Part extends object>(name: string, part: Part): Part =>
    new Proxy(part, {
      get(target, key) {
        const found: unknown = Reflect.get(target, key);
        if (typeof found !== "function") return found;
        return (...given: unknown[]): unknown => {
          asked.push(`${name}.${String(key)}`);
          return Reflect.apply(found, target, given);
        };
      },
    });
  const store = Object.fromEntries(
    Object.entries(createMemoryStore()).map(([name, part]) => [name, watch(name, part as object)]),
  ) as unknown as StateStore;
  return { store, asked };
}

const version = "2026-07-28";
const look = (at: number) =>
  new Request("http://127.0.0.1/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": version,
      "mcp-method": "tools/call",
      "mcp-name": "look",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: at,
      method: "tools/call",
      params: {
        name: "look",
        arguments: { at },
        _meta: {
          "io.modelcontextprotocol/protocolVersion": version,
          "io.modelcontextprotocol/clientInfo": { name: "test", version: "1.0.0" },
          "io.modelcontextprotocol/clientCapabilities": {},
        },
      },
    }),
  });

test.each<[string, object, readonly string[]]>([
  ["two reads: whether it waits already, and its session", {}, ["work.get", "sessions.readState"]],
  [
    "one more with budgets",
    { budgets: { calls: 100, concurrent: 9, repeats: 3 } },
    ["work.get", "sessions.readState", "work.count"],
  ],
])("a call over MCP that waits for nothing costs %s", async (_, policy, each) => {
  const { store, asked } = watchedStore();
  const host = createHost({ store });
  await mount(host.coordinator, config.parse(policy));
  const tool = defineTool({
    name: "look",
    description: "Looks. Use in tests.",
    schema: z.strictObject({ at: z.number() }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: ({ at }) => data({ at }),
  });
  host.coordinator.mount("tools", tool);
  const { fetch, close } = serveHttp(host, { caller: () => ({ sessionId: "s" }) });
  onTestFinished(async () => {
    await close();
    await host.close();
  });
  const ask = async (at: number) => {
    const answer = await fetch(look(at));
    expect(await answer.text()).toContain(`"structuredContent":{"at":${at}}`);
  };
  await ask(1);
  asked.length = 0;
  for (let at = 2; at < 12; at++) await ask(at);
  expect(asked).toEqual(Array.from({ length: 10 }, () => each).flat());
});
