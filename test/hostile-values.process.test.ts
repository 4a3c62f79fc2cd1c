import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createHost, createMemoryStore, data, isToolmountError, type Host } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, serveHosts, type HttpServer } from "@toolmount/http";
import { createTelemetry, type Telemetry } from "@toolmount/otel";
import { createRedactor } from "@toolmount/core/text";
import { recordCalls } from "@toolmount/tape";
import { pino } from "pino";
import { z } from "zod";

function nest(levels: number, wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = wrap(value);
  return value;
}

function circle(): object {
  const own: Record<string, unknown> = {};
  own["own"] = own;
  return own;
}

const fail = (): never => {
  throw new Error("no access");
};

/** A fresh hostile value each time: some are changed by who reads them. */
const values: Readonly<Record<string, () => unknown>> = {
  "a list of 5,000 levels": () => nest(5_000, (inner) => [inner]),
  "an object of 100,000 levels": () => nest(100_000, (inner) => ({ inner })),
  "an object of 300,000 members": () =>
    Object.fromEntries(Array.from({ length: 300_000 }, (_, at) => [`k${at}`, at])),
  "a text of 5 MB": () => "x".repeat(5_000_000),
  "a circle": circle,
  "a getter that throws": () => ({
    get secret() {
      return fail();
    },
  }),
  "a proxy that throws": () =>
    new Proxy(
      {},
      { get: fail, has: fail, ownKeys: fail, getOwnPropertyDescriptor: fail, getPrototypeOf: fail },
    ),
  "a toJSON that throws": () => ({ toJSON: fail }),
  "lone surrogates": () => ({ "\ud800": "\udfff", text: "a\ud83d" }),
  "a member named __proto__": () => JSON.parse('{"__proto__":{"polluted":true}}') as unknown,
  "a bigint": () => 1n,
  "a symbol": () => Symbol("s"),
  "a function": () => fail,
  "a map": () => new Map([[{}, circle()]]),
  "not a number": () => Number.NaN,
};

let host: Host;
let server: HttpServer;
let telemetry: Telemetry;
let stopTape: () => void;
let given: unknown;
const lines: string[] = [];

const tool = (name: string, execute: (context: never) => unknown, more: object = {}) => ({
  name,
  description: "Does what a test wants. Use in tests.",
  schema: z.looseObject({}),
  category: "side_effect",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async (_: unknown, context: never) => execute(context),
  ...more,
});

/** Everything that listens to calls listens: journal, metrics, spans, tape, audit and log. */
beforeAll(async () => {
  const store = createMemoryStore();
  const logger = pino({ level: "trace" }, { write: (line: string) => void lines.push(line) });
  host = createHost({ store, logger });
  const { coordinator } = host;
  for (const one of tools) coordinator.mount("tools", one);
  coordinator.hooks.gate("tool:pre", (_, { tool_name: name }) => {
    if (name === "modified") return { action: "modify", data: { tool_input: given } } as never;
    if (name === "refused") return { action: "deny", reason: given } as never;
    return undefined;
  });
  coordinator.hooks.gate("tool:post", (_, { tool_name: name }) =>
    name === "replaced" ? ({ action: "modify", data: { tool_result: given } } as never) : undefined,
  );
  const token = { name: "t", sha256: hashToken(createToken()), roles: ["call"] as const };
  server = await serveHosts({
    hosts: { default: { host } },
    authenticate: createTokenCheck([{ ...token, roles: [...token.roles] }]),
    listen: { host: "127.0.0.1", port: 0 },
    logger,
  });
  telemetry = createTelemetry({ content: true });
  stopTape = recordCalls(host, { redact: createRedactor(), write: (call) => void JSON.stringify(call) });
});

afterAll(async () => {
  stopTape();
  telemetry.stop();
  await server.close({ graceMs: 0 });
  await host.close();
});

interface Context {
  progress(value: unknown): void;
  call(request: unknown): Promise<unknown>;
  session: { set(key: string, value: unknown): void };
}

const tools = [
  tool("plain", () => data(1)),
  tool("returns", () => data(given as never)),
  tool("answers", () => given),
  tool("throws", () => {
    throw given;
  }),
  tool("throws_cause", () => {
    throw Object.assign(new Error("failed", { cause: given }), { details: given, value: given });
  }),
  tool("reports", ({ progress }: Context) => {
    progress(given);
    progress({ progress: 1, message: given, total: given });
    return data(1);
  }),
  tool("keeps", ({ session }: Context) => {
    session.set("kept", given);
    return data(1);
  }),
  tool("calls", async ({ call }: Context) => {
    await call({ name: "plain", arguments: given });
    return data(1);
  }),
  tool("modified", () => data(1)),
  tool("refused", () => data(1)),
  tool("replaced", () => data(1)),
  tool("asks", () => data(1), { requiresConfirmation: true }),
  tool("asks_about", () => data(1), { requiresConfirmation: () => given }),
  tool("at_client", () => data(1), { execution: "client" }),
];

const inSession = { sessionId: "s" };

/** The ways in which a foreign value reaches a host. */
const doors: Record<string, (value: unknown) => Promise<unknown>> = {
  "the arguments": (value) => host.call({ name: "plain", arguments: value as never }),
  "a member of the arguments": (value) => host.call({ name: "plain", arguments: { value } }),
  "the arguments for an unknown tool": (value) => host.call({ name: "unknown", arguments: value as never }),
  "the arguments of a question": (value) => host.call({ name: "asks", arguments: { value } }, inSession),
  "the name": (value) => host.call({ name: value as never }),
  "the call id": (value) => host.call({ name: "plain", id: value as never }),
  "the context": (value) => host.call({ name: "plain" }, value as never),
  "the session id": (value) => host.call({ name: "plain" }, { sessionId: value as never }),
  "the trace context": (value) => host.call({ name: "plain" }, { traceparent: value as never }),
  "the mode": (value) => host.call({ name: "plain" }, { sessionId: "s", mode: value as never }),
  "a client's result": async (value) => {
    const { ticket } = await host.call({ name: "at_client" }, inSession);
    return host.resume(ticket!, inSession, value);
  },
  "the data of a client's result": async (value) => {
    const { ticket } = await host.call({ name: "at_client" }, inSession);
    return host.resume(ticket!, inSession, { data: value });
  },
  "a rule for later calls": async (value) => {
    await host.call({ name: "asks" }, inSession);
    const [question] = await host.approvals.list();
    const remember = { scope: "rule", arguments: { value } } as never;
    return host.approvals.decide(question!.id, { decision: "approve", remember }, "ana");
  },
  "the reason of a decision": async (value) => {
    await host.call({ name: "asks" }, inSession);
    const [question] = await host.approvals.list();
    return host.approvals.decide(question!.id, { decision: "deny", reason: value as never }, "ana");
  },
  "an event": async (value) => {
    await host.coordinator.hooks.emit("acme:event", { value });
  },
};
for (const { name } of tools)
  doors[`the tool "${name}"`] = (value) => {
    given = value;
    return host.call({ name }, inSession);
  };

describe.each(Object.keys(values))("%s", (name) => {
  test.each(Object.keys(doors))("as %s", async (door) => {
    const ended = await doors[door]!(values[name]!()).catch((error: unknown) => {
      if (!isToolmountError(error) || error.code === "INTERNAL") throw error;
      return { status: error.code, result: {} };
    });

    expect(JSON.stringify(ended ?? null)).not.toContain('"INTERNAL"');
    expect(await host.call({ name: "plain", arguments: { n: 1 } })).toMatchObject({ status: "ok" });
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

test("no listener failed", () => {
  const failed = lines.filter((line) =>
    /could not be kept|could not be counted|an observer failed/.test(line),
  );
  expect(failed).toEqual([]);
});
