import type { ServerContext } from "@modelcontextprotocol/server";
import type { Front } from "../wire/front.ts";

/** A client from before 2026: it is asked by requests while its call runs, and it filters log messages by its level. */
export function createPushFront(
  { mcpReq }: ServerContext,
  { client, capabilities }: Pick<Front, "client" | "capabilities">,
): Front {
  return {
    client,
    capabilities,
    logLevel: "debug",
    async ask(requests) {
      const answers = Object.entries(requests).map(async ([key, { method, params }]) => {
        const request = { method: method as "elicitation/create", params: { ...params } };
        return [key, await mcpReq.send(request)] as const;
      });
      return Object.fromEntries(await Promise.all(answers));
    },
    log: (level, data, logger) => void mcpReq.log(level, data, logger).catch(() => {}), // it has left
  };
}
