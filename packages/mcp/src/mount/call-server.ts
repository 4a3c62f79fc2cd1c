import type { CallToolRequest, CallToolResult, RequestOptions } from "@modelcontextprotocol/client";
import type { Skill } from "@modelcontextprotocol/client/ext/skills";
import type { ToolContext } from "@toolmount/core";

/** How a tool of a server is called. */
export interface CallServerOptions extends RequestOptions {
  readonly idempotent: boolean;
  /** The skill that is read, where the tool is not one of the server itself. */
  readonly skill?: Skill | undefined;
}

/** Calls a tool of a server for one call of the host. */
export type CallServer = (
  params: CallToolRequest["params"],
  context: ToolContext,
  options: CallServerOptions,
) => Promise<CallToolResult>;
