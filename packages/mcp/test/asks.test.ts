import type { Client, RequestOptions } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import {
  answerAsks,
  answerOfClient,
  capabilitiesFor,
  extensionsFor,
  withAnswers,
} from "../src/mount/asks.ts";
import { config } from "../src/mount/config.ts";
import { Questions, type Front } from "../src/wire/front.ts";

const tasks = "io.modelcontextprotocol/tasks";
const settingsOf = (more: object = {}) => config.parse({ name: "files", command: "files-server", ...more });
const toolFor = (kind: string) => `files.${kind}`;

/** A client in front that answers each question with its key, and the host's decision about each internal tool. */
function frontOf({
  refused = [],
  from = {},
  more = {},
}: { refused?: readonly string[]; from?: object; more?: object } = {}) {
  const asked: object[] = [];
  const calls: unknown[] = [];
  const logs: unknown[] = [];
  const front = {
    from: {
      capabilities: { elicitation: { form: {} }, sampling: { tools: {} }, roots: {} },
      logLevel: undefined,
      log: (...given: unknown[]) => void logs.push(given),
      ...from,
    },
    ask: async (requests: object) => {
      asked.push(requests);
      return Object.fromEntries(Object.keys(requests).map((key) => [key, { action: "accept", key }]));
    },
    questions: new Questions(),
    callInternal: async (tool: string, args: object) => {
      calls.push([tool, args]);
      if (refused.includes(tool)) return { status: "denied", result: { error: `${tool} is refused` } };
      return { status: "ok", result: { data: await answerOfClient() } };
    },
    ...more,
  } as unknown as Front;
  return { front, asked, calls, logs };
}

test.each([
  [[], undefined, {}],
  [
    ["elicitation", "sampling", "roots"],
    undefined,
    { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
  ],
  [["elicitation", "sampling", "roots"], {}, {}],
  [
    ["elicitation", "sampling", "roots"],
    { elicitation: { form: {} }, sampling: { tools: {} }, roots: { listChanged: true } },
    { elicitation: { form: {} }, sampling: { tools: {} }, roots: {} },
  ],
  [["roots"], { elicitation: {}, sampling: {}, roots: {} }, { roots: {} }],
] as const)(
  "a plan that lets a server ask %j, before a client that can %j, states %j",
  (ask, front, stated) => {
    expect(capabilitiesFor([...ask], front as never)).toEqual(stated);
  },
);

test("a server hears that tasks are understood, and interfaces where the plan exposes them", () => {
  expect(extensionsFor(settingsOf())).toEqual({ extensions: { [tasks]: {} } });
  expect(extensionsFor(settingsOf({ expose: ["ui"] }))).toEqual({
    extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] }, [tasks]: {} },
  });
});

describe("a server from before 2026 asks by requests of its own", () => {
  function connected(front: Front | undefined, ask: string[]) {
    const requests = new Map<string, (request: object, context: object) => Promise<unknown>>();
    const context = { mcpReq: { signal: new AbortController().signal } };
    const notifications = new Map<string, (message: object) => void>();
    const client = {
      setRequestHandler: (method: string, handler: never) => requests.set(method, handler),
      setNotificationHandler: (method: string, handler: never) => notifications.set(method, handler),
    } as unknown as Client;
    answerAsks(client, settingsOf({ ask }), { frontOf: () => front, toolFor });
    const request = (method: string, params?: object) => requests.get(method)!({ method, params }, context);
    return { requests, notifications, request };
  }

  test("of the kinds that the plan allows", () => {
    const kinds = (ask: string[]) => [...connected(undefined, ask).requests.keys()];
    expect(kinds([])).toEqual([]);
    expect(kinds(["elicitation"])).toEqual(["elicitation/create"]);
    expect(kinds(["sampling"])).toEqual(["sampling/createMessage"]);
    expect(kinds(["roots"])).toEqual(["roots/list"]);
  });

  test("and the client answers, after the host has decided about the question as about a call", async () => {
    const { front, asked, calls } = frontOf();
    const { request } = connected(front, ["elicitation"]);
    const params = { message: "a\u202eb", _meta: { progressToken: 1 } };
    const answer = await request("elicitation/create", params);

    expect(answer).toEqual({ action: "accept", key: "asked" });
    expect(calls).toEqual([["files.elicitation", { message: "a\\u{202e}b" }]]);
    expect(asked).toEqual([
      {
        asked: {
          method: "elicitation/create",
          params: { message: "a\\u{202e}b", _meta: { progressToken: 1 } },
        },
      },
    ]);
  });

  test("a form that is refused is declined, another question is an error, and the client sees neither", async () => {
    const { front, asked } = frontOf({ refused: ["files.elicitation", "files.roots"] });
    const { request } = connected(front, ["elicitation", "roots"]);
    expect(await request("elicitation/create")).toEqual({
      action: "decline",
    });
    await expect(request("roots/list")).rejects.toMatchObject({
      code: -32_600,
      message: expect.stringContaining("files.roots is refused"),
    });
    expect(asked).toEqual([]);
  });

  test.each([
    ["sampling/createMessage", { elicitation: {}, roots: {} }, {}],
    ["roots/list", { elicitation: {}, sampling: {} }, {}],
    ["elicitation/create", { sampling: {}, roots: {} }, {}],
    ["elicitation/create", { elicitation: { url: {} } }, {}],
    ["elicitation/create", { elicitation: {} }, { mode: "url" }],
    ["elicitation/create", { elicitation: { form: {} } }, { mode: "url" }],
  ])(
    "%s that a client with %j cannot answer fails at once, and it is no call",
    async (method, can, params) => {
      const { front, asked, calls } = frontOf({ from: { capabilities: can } });
      const { request } = connected(front, ["elicitation", "sampling", "roots"]);

      await expect(request(method, params)).rejects.toMatchObject({
        code: -32_601,
        message: expect.stringContaining(`the client in front does not support ${method}`),
      });
      expect([asked, calls]).toEqual([[], []]);
    },
  );

  test("with no client in front its request is refused, and what it logs goes to the client in front", async () => {
    const { request } = connected(undefined, ["roots"]);
    await expect(request("roots/list")).rejects.toThrow(
      "requests of several clients, or of none, run on this connection, so it is not known whom to ask",
    );
    const { front, logs } = frontOf();
    const params = { level: "info", data: "a\u202eb", logger: "l" };
    connected(front, []).notifications.get("notifications/message")!({ params });
    expect(logs).toEqual([["info", "a\\u{202e}b", "l"]]);
  });

  test("no question is asked where none is under way", async () => {
    await expect(answerOfClient()).rejects.toThrow("no server asks a client now");
  });
});

describe("a server of 2026 asks round after round", () => {
  const question = (at: number) => ({
    resultType: "input_required",
    inputRequests: { [`q${at}`]: { method: "elicitation/create", params: { message: String(at) } } },
    ...(at > 0 && { requestState: `s${at}` }),
  });

  /** Makes a request to a server that asks this many times before it answers. */
  async function request(rounds: number, front: Front | undefined, more: object = {}, era = "modern") {
    const sent: { params: object; options: RequestOptions }[] = [];
    const client = { getProtocolEra: () => era } as unknown as Client;
    const asks = { settings: settingsOf({ ask: ["elicitation"], ...more }), front, toolFor };
    const result = await withAnswers(
      client,
      { name: "a", _meta: { b: 1 } },
      asks,
      {},
      async (params, options) => {
        sent.push({ params, options });
        return (sent.length <= rounds ? question(sent.length - 1) : { content: [] }) as { content: [] };
      },
    );
    return { result, sent };
  }
  const stated = {
    b: 1,
    "io.modelcontextprotocol/clientCapabilities": {
      elicitation: { form: {} },
      extensions: { [tasks]: {} },
    },
  };

  test("and gets the answers with its state, up to its result", async () => {
    const { front, asked } = frontOf();
    const { result, sent } = await request(2, front);
    expect(result).toEqual({ content: [] });
    expect(sent.map(({ params }) => params)).toEqual([
      { name: "a", _meta: stated },
      { name: "a", _meta: stated, inputResponses: { q0: { action: "accept", key: "q0" } } },
      {
        name: "a",
        _meta: stated,
        inputResponses: { q1: { action: "accept", key: "q1" } },
        requestState: "s1",
      },
    ]);
    expect(
      sent.every(({ options }) => (options as { allowInputRequired?: boolean }).allowInputRequired),
    ).toBe(true);
    expect(asked).toHaveLength(2);
  });

  test("sixteen times at most", async () => {
    const { front } = frontOf();
    expect((await request(15, front)).result).toEqual({ content: [] });
    await expect(request(16, front)).rejects.toThrow("the server asked more than 16 times");
  });

  test("gets no answers where no client is in front, and those that a client gave before", async () => {
    expect((await request(1, undefined)).sent[1]?.params).toMatchObject({ inputResponses: {} });
    const { front } = frontOf({ more: { given: { q: 1 } }, from: { logLevel: "debug" } });
    expect((await request(0, front)).sent[0]?.params).toEqual({
      name: "a",
      _meta: { ...stated, "io.modelcontextprotocol/logLevel": "debug" },
      inputResponses: { q: 1 },
    });
  });

  test("a request to a server that may ask nothing, or is of before 2026, goes as it is", async () => {
    const { front } = frontOf();
    for (const { sent } of [await request(0, front, { ask: [] }), await request(0, front, {}, "legacy")])
      expect(sent).toEqual([{ params: { name: "a", _meta: { b: 1 } }, options: {} }]);
    const logs = frontOf({ from: { logLevel: "info" } }).front;
    expect((await request(0, logs, { ask: [] })).sent[0]?.options).toEqual({ allowInputRequired: true });
  });
});
