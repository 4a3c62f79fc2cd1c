// Plays the client scenarios of the official suite: a host whose plan mounts the suite's server.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import * as interop from "@toolmount/interop";
import { silentLogger } from "@toolmount/core";
import { openHost, type OpenedHost } from "@toolmount/loader";
import * as mcp from "@toolmount/mcp";
import { z } from "zod";
import { listenTo } from "./http.ts";
import { signInByFetch } from "./sign-in.ts";

const scenario = z.object({
  url: z.string(),
  scenario: z.string(),
  version: z.string().optional(),
  context: z.object({
    toolCalls: z
      .array(z.object({ name: z.string(), arguments: z.record(z.string(), z.unknown()).optional() }))
      .optional(),
    client_id: z.string().optional(),
    client_secret: z.string().optional(),
  }),
});

type Scenario = z.output<typeof scenario>;

/** Starts the driver that the suite's client asks; returns its address. It ends with the test. */
export async function startDriver(): Promise<string> {
  await useConnectionsOnce();
  return listenTo(async (request) => {
    try {
      await play(scenario.parse(await request.json()));
      return new Response("played");
    } catch (error) {
      return new Response(String(error), { status: 500 });
    }
  });
}

const dispatcher = Symbol.for("undici.globalDispatcher.1");

/**
 * Makes each request of this process open a connection of its own. The suite's servers close a connection that was idle
 * for five seconds; under load a request is written to one that is just being closed, and nothing shows whether the server
 * has read it, so it may not be sent again.
 */
async function useConnectionsOnce(): Promise<void> {
  await fetch("data:,"); // Node makes its dispatcher with the first request
  const dispatchers = globalThis as unknown as Record<
    symbol,
    { constructor: new (options: object) => never }
  >;
  dispatchers[dispatcher] = new dispatchers[dispatcher]!.constructor({ pipelining: 0 });
}

async function play(given: Scenario): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "conformance-credentials-"));
  try {
    if (given.scenario.startsWith("auth/")) await playSignIn(given, folder);
    else if (given.scenario in inFront) await playInFront(given, folder);
    else await playCalls(given, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Thirty scenarios are played side by side, so each may take long. */
const startTimeoutMs = 250_000;

function openSuite(source: Readonly<Record<string, unknown>>, folder: string): Promise<OpenedHost> {
  return openHost(
    { version: 1, tools: [{ module: "suite", source: { mcp: { ...source, startTimeoutMs } } }] },
    {
      cwd: folder,
      startTimeoutMs,
      extensions: { "@toolmount/interop": interop, "@toolmount/mcp": mcp },
      env: {},
      logger: silentLogger,
    },
  );
}

function eraOf({ version }: Scenario): string {
  return version === "2025-11-25" ? "legacy" : "modern";
}

/** The address that the suite expects as the id of a client with a metadata document. */
const metadataUrl = "https://conformance-test.local/client-metadata.json";

/** A person who signs in where that is asked for, three times at most. */
async function playSignIn(given: Scenario, folder: string): Promise<void> {
  const { url, context } = given;
  const { client_id: clientId, client_secret: clientSecret } = context;
  const auth =
    clientId === undefined ? { metadataUrl } : { clientId, clientSecret, issuer: await issuerOf(url) };
  const source = { url, era: eraOf(given), auth };
  for (let signIns = 0; signIns <= 3; signIns++) {
    if ((await tryCall(source, folder)) !== "MCP_NEEDS_AUTH") return;
    await signInByFetch({ ...source, startTimeoutMs, name: "suite" }, { folder });
  }
}

/** A person who knows a client's secret knows where it was registered. */
async function issuerOf(url: string): Promise<string> {
  const metadata = await fetch(new URL("/.well-known/oauth-protected-resource/mcp", url));
  return z.object({ authorization_servers: z.array(z.string()).min(1) }).parse(await metadata.json())
    .authorization_servers[0]!;
}

/** The code of a call, or of a host that does not open. */
async function tryCall(
  source: Readonly<Record<string, unknown>>,
  folder: string,
): Promise<string | undefined> {
  try {
    await using host = await openSuite(source, folder);
    const [name = ""] = host.tools().map((tool) => tool.name);
    return (await host.call({ name })).result.code;
  } catch (error) {
    return String(error).includes("needs a sign-in") ? "MCP_NEEDS_AUTH" : String(error);
  }
}

/** Scenarios that want more of a client than calls: a client of this host, which stands before the suite's server. */
const inFront: Readonly<Record<string, (client: Client, names: readonly string[]) => Promise<void>>> = {
  // The client fills in the defaults of a form; its answer passes through the host.
  "elicitation-sep1034-client-defaults": async (client, names) => {
    client.setRequestHandler("elicitation/create", async () => ({ action: "accept", content: {} }));
    for (const name of names) await client.callTool({ name, arguments: {} });
  },
  "sep-2322-client-request-state": async (client) => {
    client.setRequestHandler("elicitation/create", async () => {
      // Another call, between two rounds of the first one.
      await client.callTool({ name: "test_mrtr_unrelated", arguments: {} });
      return { action: "accept", content: { confirmed: true } };
    });
    for (const name of ["test_mrtr_echo_state", "test_mrtr_no_state", "test_mrtr_no_result_type"])
      await client.callTool({ name, arguments: {} });
  },
  "http-standard-headers": async (client, names) => {
    for (const name of names) await client.callTool({ name, arguments: {} });
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
    // The suite's server reads every resource as empty, which this host answers as "not found".
    for (const { uri } of (await client.listResources()).resources)
      await client.readResource({ uri }).catch((error: unknown) => {
        if (!String(error).includes("not found")) throw error;
      });
  },
};

async function playInFront(given: Scenario, folder: string): Promise<void> {
  const source = {
    url: given.url,
    era: eraOf(given),
    ask: ["elicitation"],
    expose: ["resources", "prompts"],
  };
  await using host = await openSuite(source, folder);
  const served = mcp.serveHttp(host);
  const mode = eraOf(given) === "legacy" ? "legacy" : { pin: "2026-07-28" };
  const client = new Client(
    { name: "front", version: "1.0.0" },
    { versionNegotiation: { mode }, capabilities: { elicitation: { form: { applyDefaults: true } } } },
  );
  try {
    const fetch = (url: string | URL | Request, init?: RequestInit) => served.fetch(new Request(url, init));
    await client.connect(new StreamableHTTPClientTransport(new URL("http://localhost/mcp"), { fetch }));
    await inFront[given.scenario]?.(
      client,
      host.tools().map(({ name }) => name),
    );
  } finally {
    await client.close();
    await served.close();
  }
}

/** What each scenario wants to be called. */
async function playCalls(given: Scenario, folder: string): Promise<void> {
  const { url, scenario: played, context } = given;
  await using host = await openSuite({ url, era: eraOf(given) }, folder);
  const names = host.tools().map(({ name }) => name);
  const call = (name: string, args: Record<string, unknown> = {}) => host.call({ name, arguments: args });
  // Null where the schema says boolean is refused by the host; the suite takes an argument that is left out as well.
  for (const { name, arguments: args = {} } of context.toolCalls ?? [])
    await call(name, Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)));
  if (played === "tools_call") await call("add_numbers", { a: 5, b: 3 });
  if (played === "sse-retry") await call("test_reconnection");
  if (played === "json-schema-2020-12-preservation") {
    const [received] = host.tools().filter(({ name }) => name !== "json_schema_echo");
    await call("json_schema_echo", { schema: received?.inputSchema });
  }
  if (played === "request-metadata" || played === "http-invalid-tool-headers")
    for (const name of names) await call(name, played === "request-metadata" ? {} : { region: "eu" });
}
