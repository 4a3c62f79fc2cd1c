import { SSEClientTransport, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Coordinator } from "@toolmount/core";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { config } from "../src/mount/config.ts";
import { StdioTransport } from "../src/mount/stdio-transport.ts";
import { createTransport, placeOf, programOf } from "../src/mount/transport.ts";
import { notingLogger } from "./support.ts";

const entry = (more: object) =>
  config.parse({ name: "files", command: "files-server", args: ["-v"], ...more });
const { logger } = notingLogger();
const url = "http://127.0.0.1:9/mcp";

describe("the program of an entry", () => {
  const program = { command: "files-server", args: ["-v"], env: {} };
  const bordered = { read: [], write: [], denied: [], secret: [], network: false };

  test.each<[string, object, Partial<Parameters<typeof programOf>[0]>, object]>([
    ["starts in the plan's folder", {}, { folder: "/plan" }, { ...program, cwd: "/plan" }],
    ["starts where its process does without a plan", {}, {}, { ...program, cwd: undefined }],
    ["starts in its own folder", { cwd: "own" }, { folder: "/plan" }, { ...program, cwd: "own" }],
    [
      "gets its variables, and those of the host last",
      { env: { A: "1", B: "1" } },
      { serverEnv: { B: "2" } },
      { ...program, cwd: undefined, env: { A: "1", B: "2" } },
    ],
    [
      "has only its folder behind a border",
      { border: "bubblewrap" },
      { folder: "/plan" },
      { ...program, cwd: "/plan", sandbox: { ...bordered, cwd: "/plan" } },
    ],
    [
      "is at the root behind a border without a plan",
      { border: "bubblewrap" },
      {},
      { ...program, cwd: "/", sandbox: { ...bordered, cwd: "/" } },
    ],
    [
      "has what its entry grants behind a border, but what the plan denies",
      { border: "bubblewrap", cwd: "own", read: ["a", "/b"], write: ["c"], network: "any" },
      { folder: "/plan", denied: ["/plan/plan.yaml"], secret: ["/plan/.env"] },
      {
        ...program,
        cwd: "/plan/own",
        sandbox: {
          cwd: "/plan/own",
          read: ["/plan/a", "/b"],
          write: ["/plan/c"],
          network: true,
          denied: ["/plan/plan.yaml"],
          secret: ["/plan/.env"],
        },
      },
    ],
  ])("%s", (_, settings, more, expected) => {
    expect(programOf({ settings: entry(settings), folder: undefined, ...more })).toEqual(expected);
  });

  test("does not exist for a server over HTTP", () => {
    expect(programOf({ settings: config.parse({ name: "files", url }), folder: "/plan" })).toBeUndefined();
  });
});

test("the place of a server is what the capabilities of its host say", () => {
  const known: Record<string, unknown> = {
    "session.working_dir": "/plan",
    "session.protected_paths": ["/plan/plan.yaml"],
    "session.secret_paths": ["/plan/.env"],
    "host.id": "h",
    "host.chain": { toServers: () => undefined },
  };
  const settings = entry({});
  const placed = (of: Record<string, unknown>) =>
    placeOf({ getCapability: (name: string) => of[name] ?? null } as Coordinator, settings);
  expect(placed(known)).toEqual({
    settings,
    folder: "/plan",
    denied: ["/plan/plan.yaml"],
    secret: ["/plan/.env"],
    hostId: "h",
    chain: known["host.chain"],
  });
  expect(placed({})).toEqual({
    settings,
    folder: undefined,
    denied: undefined,
    secret: undefined,
    hostId: undefined,
    chain: undefined,
  });
});

describe("the transport of an entry", () => {
  const made = (settings: object) =>
    createTransport({ settings: config.parse({ name: "files", ...settings }), folder: undefined, logger });

  test("is that of its kind", () => {
    expect(made({ command: "files-server" })).toBeInstanceOf(StdioTransport);
    expect(made({ url, transport: "sse" })).toBeInstanceOf(SSEClientTransport);
    expect(made({ url })).toBeInstanceOf(StreamableHTTPClientTransport);
  });

  /** What a request over HTTP was answered with, and the headers that it had. */
  const sent = async (answer: () => Response, message: object, given: object = {}) => {
    const headers: Headers[] = [];
    vi.stubGlobal("fetch", async (_: unknown, init: RequestInit) => {
      headers.push(new Headers(init.headers));
      return answer();
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const settings = config.parse({ name: "files", url, headers: { "x-own": "1" } });
    const transport = createTransport({ settings, folder: undefined, logger, ...given });
    onTestFinished(() => transport.close());
    await transport.start();
    const sending = transport.send({ jsonrpc: "2.0", ...message } as never);
    sending.catch(() => {});
    return { headers, sending };
  };
  const stream = (text: string) => () =>
    new Response(text, { headers: { "content-type": "text/event-stream" } });

  test("sends the headers of the entry, and a request whose stream ends without an answer fails", async () => {
    const { headers, sending } = await sent(stream(""), { id: 1, method: "tools/call", params: {} });
    await expect(sending).rejects.toThrow("the stream ended");
    expect(headers[0]!.get("x-own")).toBe("1");
  });

  test("resolves for a notification when it was taken", async () => {
    const accepted = () => new Response(null, { status: 202 });
    const { sending } = await sent(accepted, { method: "notifications/initialized" });
    expect(await sending).toBeUndefined();
  });

  test("lets a provider of tokens see each request, and reports too little scope", async () => {
    const seen: unknown[] = [];
    const noting = (fetchOne: (url: URL, init: object) => Promise<Response>) => (to: URL, init: object) => {
      seen.push(to.href);
      return fetchOne(to, init);
    };
    const authProvider = { token: async () => "secret", noting };
    const narrow = () =>
      new Response(null, {
        status: 403,
        headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="write"' },
      });
    const request = { id: 1, method: "tools/call", params: {} };
    const { headers, sending } = await sent(narrow, request, { authProvider });
    await expect(sending).rejects.toMatchObject({ requiredScope: "write" });
    expect(seen).toEqual([url]);
    expect(headers[0]!.get("authorization")).toBe("Bearer secret");
  });
});
