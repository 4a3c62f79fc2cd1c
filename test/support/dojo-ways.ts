import { PassThrough } from "node:stream";
import { Client } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { createToken, createTokenCheck, hashToken, serveHosts } from "@toolmount/http";
import { serveStreams } from "@toolmount/mcp";
import type { DojoWay } from "./dojo-score.ts";

/** Calls by a client of MCP, which sends the user's words with each call. The plan has to believe it. */
export const byMcp: DojoWay = async (host, prompt) => {
  const [up, down] = [new PassThrough(), new PassThrough()];
  const served = serveStreams(host, { input: up, output: down });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StdioServerTransport(down, up));
  return {
    call: ({ name, arguments: given }) =>
      client.callTool({ name, arguments: given, _meta: { "toolmount/prompts": [prompt] } }),
    async close() {
      await client.close();
      await served.close();
    },
  };
};

/** Calls over HTTP. */
export const byHttp: DojoWay = async (host, prompt) => {
  const token = createToken();
  const service = await serveHosts({
    hosts: { world: { host } },
    authenticate: createTokenCheck([{ name: "caller", sha256: hashToken(token), roles: ["call"] }]),
    listen: { host: "127.0.0.1", port: 0 },
  });
  return {
    async call({ name, arguments: given }) {
      const answer = await fetch(`${service.url}/api/v1/hosts/world/calls`, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
        body: JSON.stringify({ tool: name, arguments: given, sessionId: "session", prompts: [prompt] }),
      });
      return answer.json();
    },
    close: () => service.close({ graceMs: 0 }),
  };
};
