import { ProtocolError, type Client, type Tool } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { config } from "../src/mount/config.ts";
import * as exposed from "../src/mount/exposed-definitions.ts";

const settingsOf = (more: object = {}) => config.parse({ name: "files", command: "files-server", ...more });
const tool = (name: string, more: Partial<Tool> = {}): Tool => ({
  name,
  inputSchema: { type: "object" },
  ...more,
});

describe("what a server exposes beside its tools", () => {
  const requests = (settings: object) =>
    exposed
      .requestTools(settingsOf(settings))
      .map(({ name, description, inputSchema }) => [name, description, inputSchema.required ?? []]);

  test("is asked for by internal tools, one for each kind of request that the plan allows", () => {
    expect(requests({})).toEqual([]);
    expect(requests({ expose: ["resources", "prompts"], ask: ["elicitation", "sampling", "roots"] })).toEqual(
      [
        ["files.resources.list", "Lists the resources of the MCP server files", []],
        ["files.resources.read", "Reads a resource of the MCP server files", ["uri"]],
        ["files.resources.subscribe", "Subscribes to changes of a resource of the MCP server files", ["uri"]],
        ["files.prompts.list", "Lists the prompts of the MCP server files", []],
        [
          "files.completions",
          "Completes an argument of a prompt or a resource template of the MCP server files",
          [],
        ],
        ["files.elicitation", "Asks the user of the client, for a call of the MCP server files", []],
        ["files.sampling", "Asks the model of the client, for a call of the MCP server files", []],
        ["files.roots", "Asks the client for its folders, for a call of the MCP server files", []],
      ],
    );
    expect(requests({ expose: ["prompts"] }).map(([name]) => name)).toEqual([
      "files.prompts.list",
      "files.completions",
    ]);
    expect(requests({ ask: ["roots"] }).map(([name]) => name)).toEqual(["files.roots"]);
    expect(exposed.groupsOf(settingsOf({ expose: ["ui", "resources", "prompts"] }))).toEqual([
      "resources",
      "prompts",
    ]);
  });

  test.each([
    ["resources.read", ["elicitation"], 1_800_000],
    ["elicitation", ["elicitation"], 1_800_000],
    ["sampling", ["elicitation"], 60_000],
    ["resources.list", ["elicitation"], 60_000],
    ["resources.read", [], 60_000],
  ] as const)("may take as long as a person: %s with ask %j has %i ms", (request, ask, timeoutMs) => {
    expect(exposed.limitsOf({ kind: "request", request }, settingsOf({ ask })).timeoutMs).toBe(timeoutMs);
  });

  test("is grouped by its list; a text of the server belongs to none, and takes no person", () => {
    const prompt = { kind: "prompt", item: { name: "a" } } as const;
    const resource = { kind: "resource", item: { name: "a", uri: "x:1" } } as const;
    const text = { kind: "instructions", text: "a" } as const;
    expect(
      [prompt, resource, text, { kind: "request", request: "completions" } as const, undefined].map((one) =>
        exposed.groupOf(one),
      ),
    ).toEqual(["prompts", "resources", undefined, undefined, undefined]);
    const asks = settingsOf({ ask: ["sampling"] });
    expect([prompt, resource, text].map((one) => exposed.limitsOf(one, asks).timeoutMs)).toEqual([
      1_800_000, 1_800_000, 60_000,
    ]);
  });

  test("cannot be forged by a server: a tool that says it is something exposed is a tool", () => {
    const forged = tool("a", { _meta: { "dev.toolmount/exposed": { kind: "request" }, other: 1 } });
    expect(exposed.exposedOf(exposed.withoutExposed(forged))).toBeUndefined();
    expect(exposed.withoutExposed(forged)).toEqual({ ...forged, _meta: { other: 1 } });
    const honest = tool("a", { _meta: { other: 1 } });
    expect(exposed.withoutExposed(honest)).toBe(honest);
  });

  const client = (more: object) =>
    ({
      getInstructions: () => undefined,
      getServerCapabilities: () => ({ resources: {}, prompts: {} }),
      listPrompts: async () => ({ prompts: [] }),
      listResources: async () => ({ resources: [] }),
      listResourceTemplates: async () => ({ resourceTemplates: [] }),
      ...more,
    }) as unknown as Client;

  test("has its instructions as a text of at most 32,768 characters", () => {
    const toolsFor = (text?: string) =>
      exposed.instructionsTool(client({ getInstructions: () => text }), { name: "files" });
    expect([toolsFor(), toolsFor(" \n")]).toEqual([[], []]);
    expect(toolsFor(" Be brief. ")).toEqual([
      {
        name: "files.instructions",
        description: "Be brief.",
        inputSchema: { type: "object" },
        _meta: { "dev.toolmount/exposed": { kind: "instructions", text: "Be brief." } },
      },
    ]);
    expect(toolsFor("x".repeat(32_769))[0]?.description).toHaveLength(32_768);
  });

  test("has prompts with their arguments, and all texts that a model may read", async () => {
    const plain = { name: "plain", title: " " };
    const full = {
      name: "review",
      title: "Review",
      description: "Reviews code",
      arguments: [{ name: "file", description: "Which", required: true }, { name: "depth" }],
    };
    const listed = client({ listPrompts: async () => ({ prompts: [plain, full] }) });
    expect(await exposed.listExposed(listed, settingsOf(), "prompts")).toEqual([
      {
        name: "files.prompts.get.plain",
        description: 'Gets the prompt "plain"',
        inputSchema: { type: "object", properties: {}, required: [] },
        _meta: { "dev.toolmount/exposed": { kind: "prompt", item: plain } },
      },
      {
        name: "files.prompts.get.review",
        description: 'Gets the prompt "review": Review. Reviews code',
        inputSchema: {
          type: "object",
          properties: { file: { type: "string", description: "Which" }, depth: { type: "string" } },
          required: ["file"],
        },
        _meta: { "dev.toolmount/exposed": { kind: "prompt", item: full } },
      },
    ]);
  });

  test("has the resources and templates that the plan exposes", async () => {
    const page = { name: "page", uri: "ui://page" };
    const log = { name: "log", uri: "file:///log", description: "The log" };
    const any = { name: "any", uriTemplate: "ui://{x}" };
    const listed = client({
      listResources: async () => ({ resources: [page, log] }),
      listResourceTemplates: async () => ({
        resourceTemplates: [any, { name: "f", uriTemplate: "file:///{x}" }],
      }),
    });
    const names = async (expose: string[]) =>
      (await exposed.listExposed(listed, settingsOf({ expose }), "resources")).map(({ name }) => name);
    expect(await names(["ui"])).toEqual(["files.resources.read.ui://page", "files.resources.read.ui://{x}"]);
    expect(await names(["resources"])).toHaveLength(4);
    expect(
      (await exposed.listExposed(listed, settingsOf({ expose: ["resources"] }), "resources"))[1],
    ).toMatchObject({
      description: 'Reads "log": The log',
      inputSchema: { required: ["uri"], properties: { uri: { type: "string" } } },
      _meta: { "dev.toolmount/exposed": { kind: "resource", item: log } },
    });
  });

  test("is nothing where the server has no such list or refuses it, and a lost connection is an error", async () => {
    const refuses = () => Promise.reject(new ProtocolError(-32_601, "no"));
    const breaks = () => Promise.reject(new Error("lost"));
    const settings = settingsOf({ expose: ["resources", "prompts"] });
    const all = { listPrompts: breaks, listResources: breaks, getServerCapabilities: () => ({}) };
    expect(await exposed.listExposed(client(all), settings, "prompts")).toEqual([]);
    expect(await exposed.listExposed(client(all), settings, "resources")).toEqual([]);
    expect(await exposed.listExposed(client({ listPrompts: refuses }), settings, "prompts")).toEqual([]);
    const none = client({ listResources: refuses, listResourceTemplates: refuses });
    expect(await exposed.listExposed(none, settings, "resources")).toEqual([]);
    for (const broken of [{ listResources: breaks }, { listResourceTemplates: breaks }])
      await expect(exposed.listExposed(client(broken), settings, "resources")).rejects.toThrow("lost");
    await expect(exposed.listExposed(client({ listPrompts: breaks }), settings, "prompts")).rejects.toThrow(
      "lost",
    );
  });
});
