import { createHost } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { RefusedRequest } from "../src/serve/exposed-calls.ts";
import { serveResources, watchResources, type Subscribed } from "../src/serve/exposed-resources.ts";
import type { ExposedSource } from "../src/wire/exposed-source.ts";

type Handler = (request: object, ctx: object) => Promise<unknown>;

/** A source with resources of these addresses, each of which it reads as its name and the address. */
function source(name: string, uris: readonly string[], more: Partial<ExposedSource> = {}) {
  const seen: string[] = [];
  const one: ExposedSource = {
    name,
    exposes: ["resources"],
    listResources: async () => uris.map((uri) => ({ uri, name: `${name} ${uri}` })),
    listResourceTemplates: async () => [{ uriTemplate: `${name}:{x}`, name }],
    readResource: async (uri) => {
      seen.push(`read ${uri}`);
      return {
        contents: uris.includes(uri)
          ? [
              { uri, text: name },
              { uri: "other:part", text: name },
            ]
          : [],
      };
    },
    subscribe: async (uri) => void seen.push(`subscribe ${uri}`),
    unsubscribe: async (uri) => void seen.push(`unsubscribe ${uri}`),
    listPrompts: async () => [],
    getPrompt: async () => ({ messages: [] }),
    complete: async () => ({ completion: { values: [] } }),
    ...more,
  };
  return { one, seen };
}

/** What one client gets of the sources. */
function served(sources: readonly { readonly one: ExposedSource }[]) {
  const host = createHost();
  onTestFinished(async () => void (await host.close()));
  const handlers = new Map<string, Handler>();
  const updated: unknown[] = [];
  const server = {
    setRequestHandler: (method: string, handler: Handler) => handlers.set(method, handler),
    sendResourceUpdated: async (params: unknown) => void updated.push(params),
  } as never;
  const subscribed: Subscribed = new Map();
  serveResources(
    server,
    { host },
    {
      sourcesFor: () => sources.map(({ one }) => one),
      callFor: () => undefined as never,
      asking: (async (_ctx: object, _request: object, work: (call: never) => Promise<object>) =>
        work(undefined as never)) as never,
    },
    subscribed,
  );
  const stop = watchResources(host, server, subscribed);
  return {
    stop,
    updated,
    ask: (method: string, uri?: string) =>
      handlers.get(`resources/${method}`)!({ method: `resources/${method}`, params: { uri } }, {}),
    change: (from: string, uri: string) =>
      host.coordinator.hooks.emit("mcp:resource_updated", { server: from, uri }),
  };
}

const apart = "toolmount://resource/b%2F/x%3A1";

test("all servers' resources are listed in the plan's order, and a second one of an address by its server", async () => {
  const broken = source("c", [], {
    listResources: () => Promise.reject(new Error("gone")),
    listResourceTemplates: () => Promise.reject(new Error("gone")),
  });
  const { ask } = served([source("a", ["x:1", "x:2", "x:2"]), broken, source("b/", ["x:1", "x:1", "x:3"])]);

  expect(await ask("list")).toEqual({
    resources: [
      { uri: "x:1", name: "a x:1" },
      { uri: "x:2", name: "a x:2" },
      { uri: "toolmount://resource/a/x%3A2", name: "a x:2" },
      { uri: apart, name: "b/ x:1" },
      { uri: "x:3", name: "b/ x:3" },
    ],
  });
  expect(await ask("templates/list")).toEqual({
    resourceTemplates: [
      { uriTemplate: "a:{x}", name: "a" },
      { uriTemplate: "b/:{x}", name: "b/" },
    ],
  });
});

test("a resource is read from the server that lists it, and answered under the address that was asked", async () => {
  const [a, b] = [source("a", ["x:1"]), source("b/", ["x:1", "x:3"])];
  const { ask } = served([a, b]);

  expect(await ask("read", "x:1")).toEqual({
    contents: [
      { uri: "x:1", text: "a" },
      { uri: "other:part", text: "a" },
    ],
  });
  expect(await ask("read", apart)).toEqual({
    contents: [
      { uri: apart, text: "b/" },
      { uri: "other:part", text: "b/" },
    ],
  });
  expect([a.seen, b.seen]).toEqual([["read x:1"], ["read x:1"]]);
});

test("an address that no server lists is asked of each, and a refusal is reported where none has it", async () => {
  const refusal = new RefusedRequest("no permission", {});
  const refuses = source("a", [], { readResource: () => Promise.reject(refusal) });
  const fails = source("f", [], { readResource: () => Promise.reject(new Error("broken")) });
  const template = source("t", [], { readResource: async (uri) => ({ contents: [{ uri, text: "t" }] }) });

  expect(await served([refuses, fails, template]).ask("read", "t:1")).toEqual({
    contents: [{ uri: "t:1", text: "t" }],
  });
  await expect(served([refuses, fails]).ask("read", "t:1")).rejects.toBe(refusal);
  await expect(served([fails, source("e", [])]).ask("read", "t:1")).rejects.toMatchObject({
    data: { uri: "t:1" },
  });
  await expect(served([]).ask("read", "t:1")).rejects.toMatchObject({ data: { uri: "t:1" } });
});

test("a client hears of changes of what it subscribed to, by the address that it used, until it ends that", async () => {
  const [a, b] = [source("a", ["x:1"]), source("b/", ["x:1"])];
  const { ask, change, updated, stop } = served([a, b]);

  expect(await ask("subscribe", apart)).toEqual({});
  await change("b/", "x:1");
  await change("a", "x:1");
  expect(updated).toEqual([{ uri: apart }]);
  expect(await ask("unsubscribe", apart)).toEqual({});
  await change("b/", "x:1");
  expect([a.seen, b.seen]).toEqual([[], ["subscribe x:1", "unsubscribe x:1"]]);
  await ask("subscribe", apart);
  stop();
  await change("b/", "x:1");
  expect(updated).toHaveLength(1);
});

test("an address of no server is subscribed to nowhere; a single server is asked for any", async () => {
  const [a, b] = [source("a", ["x:1"]), source("b", [])];
  const both = served([a, b]);
  expect(await both.ask("subscribe", "y:1")).toEqual({});
  expect(await both.ask("unsubscribe", "y:1")).toEqual({});
  expect([a.seen, b.seen]).toEqual([[], []]);

  await served([b]).ask("subscribe", "y:1");
  expect(b.seen).toEqual(["subscribe y:1"]);
});

test("a subscription that the server refuses is not kept, and a later refusal leaves an earlier one", async () => {
  let refuses = true;
  const a = source("a", ["x:1"], {
    subscribe: async () => {
      if (refuses) throw new Error("no");
    },
  });
  const { ask, change, updated } = served([a]);
  await expect(ask("subscribe", "x:1")).rejects.toThrow("no");
  await change("a", "x:1");
  expect(updated).toEqual([]);
  refuses = false;
  await ask("subscribe", "x:1");
  refuses = true;
  await expect(ask("subscribe", "x:1")).rejects.toThrow("no");
  await change("a", "x:1");
  expect(updated).toEqual([{ uri: "x:1" }]);
});

test("an address whose own part cannot be decoded is used as it is", async () => {
  const [a, b] = [source("a", []), source("b", ["%E0%A4%A"])];
  const { ask } = served([a, b]);
  expect(await ask("read", "toolmount://resource/b/%E0%A4%A")).toMatchObject({
    contents: [{ uri: "toolmount://resource/b/%E0%A4%A" }, {}],
  });
  expect(a.seen).toEqual([]);
});
