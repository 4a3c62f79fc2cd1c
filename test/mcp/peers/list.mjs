// What is compared: toolmount, and every gateway or proxy of MCP that npm installs, at fixed versions.
import { join } from "node:path";

/** The packages; each is installed with its own dependencies, and no script of it runs. */
export const versions = {
  "mcp-hub": "4.2.1",
  "mcp-proxy": "6.7.19",
  mcporter: "0.12.3",
  "mcp-remote": "0.15.1",
  supergateway: "4.0.0",
};

const node = process.execPath;

/**
 * Ways to reach the same server. `command` speaks MCP over stdio; `listens` is started first and is reached at `path`.
 * `files` are written to its folder before, by name. `startsServer: false` is a way that starts no process of the server. `isRaceOnly` is timed, and has no column in the table.
 */
export const ways = ({ root, server, port, bin }) => {
  const behind = { command: node, args: [server] };
  const plan = {
    version: 1,
    tools: [
      {
        module: "behind",
        source: { mcp: { ...behind, expose: ["resources", "prompts"], ask: ["elicitation", "sampling"] } },
      },
    ],
  };
  const ours = { "plan.json": plan };
  const toolmount = join(root, "packages/cli/dist/main.js");
  return [
    { name: "the server alone", startsServer: false, command: [node, server] },
    { name: "toolmount, stdio", files: ours, command: [node, toolmount, "serve", "plan.json", "--stdio"] },
    // The peers record nothing: this is a call without the durable record of each change.
    {
      name: "toolmount, stdio, audit off",
      files: { "plan.json": { ...plan, audit: "off" } },
      command: [node, toolmount, "serve", "plan.json", "--stdio"],
      isRaceOnly: true,
    },
    {
      name: "toolmount, HTTP",
      files: ours,
      listens: [
        node,
        toolmount,
        "serve",
        "plan.json",
        "--http",
        `127.0.0.1:${port}`,
        "--tokens",
        "../tokens.json",
      ],
      path: "/mcp",
      hasToken: true,
    },
    {
      name: "mcp-hub",
      files: { "servers.json": { mcpServers: { behind } } },
      listens: [bin("mcp-hub"), "--port", String(port), "--config", "servers.json"],
      path: "/mcp",
      isSse: true,
    },
    {
      name: "mcp-proxy",
      listens: [bin("mcp-proxy"), "--port", String(port), "--host", "127.0.0.1", "--", node, server],
      path: "/mcp",
    },
    {
      name: "supergateway",
      listens: [
        bin("supergateway"),
        "--stdio",
        `${node} ${server}`,
        "--outputTransport",
        "streamableHttp",
        "--stateful",
        "--port",
        String(port),
        "--logLevel",
        "none",
      ],
      path: "/mcp",
    },
    {
      name: "mcporter",
      files: {
        "config/mcporter.json": {
          mcpServers: { behind: { ...behind, lifecycle: "keep-alive" } },
          imports: [],
        },
      },
      command: [bin("mcporter"), "serve", "--stdio"],
      ends: [bin("mcporter"), "daemon", "stop"],
    },
    {
      name: "mcp-remote",
      behindHttp: true,
      startsServer: false,
      command: [
        bin("mcp-remote"),
        `http://127.0.0.1:${port}/mcp`,
        "--allow-http",
        "--transport",
        "http-only",
      ],
    },
  ];
};
