import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createMemoryStore } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import type { Target } from "./clients/target.ts";
import { linkPackages, plainEnv, toolmount } from "./support/command.ts";
import { compareTable } from "./support/compatibility.ts";
import { listen } from "./support/http.ts";
import { packageFolder } from "./support/real-servers.ts";
import { folderOf, open } from "./support/world.ts";

/** A tool that answers at once, and one that waits for a person; both promise a form of their results. */
const tools = `
  import { data, defineTool } from "@toolmount/core";
  import { z } from "zod";

  export const add = defineTool({
    name: "add",
    description: "Adds two numbers. Use for sums.",
    schema: z.strictObject({ a: z.number(), b: z.number() }),
    outputSchema: z.strictObject({ sum: z.number() }),
    category: "read",
    consequenceLevel: "low",
    requiresConfirmation: false,
    execute: ({ a, b }) => data({ sum: a + b }),
  });

  export const remove = defineTool({
    name: "remove",
    description: "Removes a file. Use when the user asks for it.",
    schema: z.strictObject({ path: z.string() }),
    outputSchema: z.strictObject({ gone: z.string() }),
    category: "delete",
    consequenceLevel: "high",
    requiresConfirmation: true,
    execute: ({ path }) => data({ gone: path }),
  });
`;

/** Programs in \`clients/`, and the package that each of them tries. */
const clients = [
  { program: "sdk-v2.ts", package: "@modelcontextprotocol/client", wires: ["stdio", "http"] },
  { program: "sdk-v1.ts", package: "@modelcontextprotocol/sdk", wires: ["stdio", "http"] },
  { program: "ai-sdk.ts", package: "@ai-sdk/mcp", wires: ["stdio", "http"] },
  { program: "openai-agents.ts", package: "@openai/agents", wires: ["stdio", "http"] },
  { program: "langchain.ts", package: "@langchain/mcp-adapters", wires: ["stdio", "http"] },
  { program: "mastra.ts", package: "@mastra/mcp", wires: ["stdio", "http"] },
  { program: "mcporter.ts", package: "mcporter", wires: ["stdio", "http"] },
  { program: "mcp-remote.ts", package: "mcp-remote", wires: ["http"] },
] as const;

interface Answer {
  readonly tools: readonly string[];
  readonly answers: readonly string[];
}

async function tryClient(program: string, target: Target): Promise<Answer> {
  const words = [join(import.meta.dirname, "clients", program), JSON.stringify(target)];
  const child = spawn(process.execPath, words, { env: plainEnv(), stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const last = stdout.trim().split("\n").at(-1) ?? "";
  expect(last, `${program}: ${stdout}${stderr}`).toMatch(/^\{"tools"/);
  return JSON.parse(last) as Answer;
}

test("eight published clients list and call what a plan serves, and read that a call waits", async () => {
  const folder = await folderOf({
    "plan.yaml": "version: 1\ntools:\n  - module: ./tools.ts\n",
    "tools.ts": tools,
  });
  await linkPackages(folder);
  const [command = "", ...before] = toolmount;
  const calls = [
    { tool: "add", arguments: { a: 2, b: 40 } },
    { tool: "remove", arguments: { path: "a.txt" } },
  ];
  const stdio: Target = {
    calls,
    stdio: { command, args: [...before, "serve", "plan.yaml", "--stdio"], cwd: folder },
  };
  const host = await open(join(folder, "plan.yaml"), { store: createMemoryStore() });
  const http: Target = { calls, url: await listen(host) };

  const rows: string[][] = [];
  for (const { program, package: name, wires } of clients) {
    const wanted: readonly string[] = wires;
    for (const wire of wanted) {
      const seen = await tryClient(program, wire === "stdio" ? stdio : http);
      expect({ program, wire, ...seen }).toEqual({
        program,
        wire,
        tools: ["add", "remove"],
        answers: [
          expect.stringContaining("42"),
          expect.stringMatching(/waiting for a person to approve .*remove.*Ticket: /s),
        ],
      });
    }
    const { version } = JSON.parse(await readFile(join(packageFolder(name), "package.json"), "utf8")) as {
      version: string;
    };
    rows.push([
      `\`${name}\``,
      version,
      wanted.includes("stdio") ? "yes" : "–",
      wanted.includes("http") ? "yes" : "–",
    ]);
  }

  await compareTable("clients", ["package", "version", "stdio", "HTTP"], rows);
});

const object = { type: "object" };
const answer = '"result":{"content":[{"type":"text","text":"sent as 42"}]}';

/** The zoo's worst kinds in three servers: definitions, answers, and a process that ends with each of its answers. */
const zoo = {
  definitions: {
    tools: [
      {
        name: "send",
        title: null,
        description: null,
        inputSchema: object,
        annotations: { readOnlyHint: null },
      },
      {
        name: "rootless",
        inputSchema: { properties: { a: { $ref: "#/$defs/none" } } },
        outputSchema: { type: 7 },
      },
      { name: "any", inputSchema: { anyOf: [object, { type: "string" }] }, annotations: null, _meta: 1 },
      { name: `long_${"x".repeat(90)}`, inputSchema: object, icons: "none" },
    ],
  },
  answers: {
    raw: { "tools/call": `{"id":ID,"error":null,${answer}}`, "server/discover": '\uFEFF{"id":null}' },
  },
  endings: { ends: true },
};

test("the same clients list and call three of the zoo's worst servers through a plan", async () => {
  const server = join(import.meta.dirname, "zoo/server.mjs");
  const entries = Object.entries(zoo).map(([module, given]) => ({
    module,
    prefix: `${module}_`,
    source: { mcp: { command: process.execPath, args: [server], env: { ZOO_ROW: JSON.stringify(given) } } },
  }));
  const folder = await folderOf({
    "plan.json": JSON.stringify({ version: 1, tools: entries }).replaceAll("${", "$${"),
  });
  await linkPackages(folder);
  const host = await open(join(folder, "plan.json"), { store: createMemoryStore() });
  const [command = "", ...before] = toolmount;
  const calls = Object.keys(zoo).map((module) => ({ tool: `${module}_send`, arguments: {} }));
  const targets: Readonly<Record<string, Target>> = {
    stdio: { calls, stdio: { command, args: [...before, "serve", "plan.json", "--stdio"], cwd: folder } },
    http: { calls, url: await listen(host) },
  };
  const offered = host.tools().map(({ name }) => name);
  expect(offered).toHaveLength(6);

  for (const { program, wires } of clients)
    for (const wire of wires) {
      const { tools: listed, answers } = await tryClient(program, targets[wire]!);
      expect({ program, wire, answers }).toEqual({
        program,
        wire,
        answers: calls.map(() => expect.stringContaining("sent as 42") as string),
      });
      expect(listed).toHaveLength(offered.length);
    }
});
