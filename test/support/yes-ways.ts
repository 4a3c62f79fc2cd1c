import { PassThrough } from "node:stream";
import { createInterface } from "node:readline";
import type { Host } from "@toolmount/core";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { toAiSdkTools, toLangChainTools } from "@toolmount/interop";
import { serveHttp, serveStreams } from "@toolmount/mcp";
import { createReasoner, settingsSchema } from "@toolmount/reasoner";
import { mount as mountPrograms, config as programConfig } from "@toolmount/tool-program";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { call, response, say, serve } from "../../packages/reasoner/test/support/world.ts";
import type { Caller, MoreWays, Way } from "../../packages/core/test/one-yes-world.ts";

/** The ways in that other packages add, by name. Each needs a model's address. */
export const wayNames = ["program", "model", "HTTP", "MCP 2025", "MCP 2026", "AI SDK", "LangChain"] as const;

/** A model that calls `pay` with the last word of its prompt, and ends its turn after that. */
export async function servePayer(): Promise<string> {
  let calls = 0;
  const { baseUrl } = await serve(({ input }) => {
    const last = input.at(-1);
    if (last?.["type"] === "function_call_output") return response([say("done")]);
    const to = /"?(bob|eve)"?\W*$/.exec(JSON.stringify(last?.["content"]))?.[1] ?? "bob";
    return response([call(`c${(calls += 1)}`, "pay", JSON.stringify({ to }))]);
  });
  return baseUrl;
}

/** Opens the ways in of a host. What a way needs is made at its first call. */
export function openWays(baseUrl: string, counts: Map<string, number>): (host: Host) => MoreWays {
  return (host) => {
    const closing: (() => Promise<unknown>)[] = [];
    const once = <Value>(make: (whose: Caller) => Value) => {
      const made = new Map<string, Value>();
      return (whose: Caller) => {
        const key = JSON.stringify(whose);
        if (!made.has(key)) made.set(key, make(whose));
        return made.get(key)!;
      };
    };
    const given = { host, closing, once };
    const ways: Record<(typeof wayNames)[number], Way> = {
      program: programs(given),
      model: model(given, baseUrl),
      HTTP: http(given),
      "MCP 2025": olderMcp(given),
      "MCP 2026": newerMcp(given),
      "AI SDK": (to, whose) => toAiSdkTools(host, host.tools(), { ...whose })["pay"]!.execute({ to }),
      LangChain: (to, whose) =>
        toLangChainTools(host, host.tools(), { ...whose })
          .find(({ name }) => name === "pay")!
          .invoke({ to }),
    };
    const close = async () => {
      for (const end of closing) await end();
    };
    return { ways, close, count: (way) => void counts.set(way, (counts.get(way) ?? 0) + 1) };
  };
}

interface Given {
  readonly host: Host;
  readonly closing: (() => Promise<unknown>)[];
  readonly once: <Value>(make: (whose: Caller) => Value) => (whose: Caller) => Value;
}

function programs({ host }: Given): Way {
  let mounted: Promise<void> | null = null;
  return async (to, whose) => {
    await (mounted ??= mountPrograms(host.coordinator, programConfig.parse({})));
    const source = `return await tools.pay({ to: ${JSON.stringify(to)} });`;
    return host.call({ name: "run_program", arguments: { source } }, whose);
  };
}

/** A turn, or the rest of the one that waits. */
function model({ host }: Given, baseUrl: string): Way {
  const settings = settingsSchema.parse({ model: "m", stream: false, baseUrl, apiKey: "k" });
  const reasoner = createReasoner(host.coordinator, { settings });
  return async (to, whose) => {
    const resumed = await reasoner.resume(host, whose).catch(() => null);
    return resumed ?? reasoner.run(host, { ...whose, prompt: `pay ${to}` });
  };
}

function http({ host, closing }: Given): Way {
  const tokens = new Map<string, string>();
  const users = ["ada", "mallory"].map((user) => {
    const token = createToken();
    tokens.set(user, token);
    return { name: user, user, sha256: hashToken(token), roles: ["call" as const] };
  });
  let serving: ReturnType<typeof serveHosts> | null = null;
  return async (to, { sessionId, userId }) => {
    if (serving === null) {
      const authenticate = createTokenCheck(users);
      serving = serveHosts({ hosts: { h: { host } }, authenticate, listen: { host: "127.0.0.1", port: 0 } });
      closing.push(async () => (await serving)!.close({ graceMs: 0 }));
    }
    const answer = await fetch(`${(await serving).url}/api/v1/hosts/h/calls`, {
      method: "POST",
      headers: { authorization: `Bearer ${tokens.get(userId)!}`, "content-type": "application/json" },
      body: JSON.stringify({ tool: "pay", arguments: { to }, sessionId }),
    });
    return answer.json();
  };
}

function olderMcp({ host, closing, once }: Given): Way {
  const connected = once((whose) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveStreams(host, { input, output, ...whose });
    closing.push(() => served.close());
    const lines = createInterface({ input: output })[Symbol.asyncIterator]();
    let last = 0;
    const send = (message: object) => input.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
    const ask = async (method: string, params: object): Promise<unknown> => {
      const id = ++last;
      send({ id, method, params });
      for (;;) {
        const { value, done } = await lines.next();
        if (done === true) throw new Error("the server ended");
        if ((JSON.parse(value) as { id?: number }).id === id) return JSON.parse(value) as unknown;
      }
    };
    const clientInfo = { name: "test", version: "1.0.0" };
    const ready = ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo }).then(
      () => send({ method: "notifications/initialized" }),
    );
    return async (to: string) => {
      await ready;
      await ask("tools/call", { name: "pay", arguments: { to } });
    };
  });
  return (to, whose) => connected(whose)(to);
}

function newerMcp({ host, closing, once }: Given): Way {
  const connected = once(async (whose) => {
    const served = serveHttp(host, { caller: () => whose });
    const fetchHere = (url: string | URL, init?: RequestInit) => served.fetch(new Request(url, init));
    const mode = { pin: "2026-07-28" } as const;
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
    const address = new URL("http://127.0.0.1/mcp");
    await client.connect(new StreamableHTTPClientTransport(address, { fetch: fetchHere }));
    closing.push(async () => {
      await client.close();
      await served.close();
    });
    return client;
  });
  return async (to, whose) => {
    const client = await connected(whose);
    await client.callTool({ name: "pay", arguments: { to } });
  };
}
