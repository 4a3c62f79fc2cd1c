import {
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type AuthProvider,
  type FetchLike,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Logger } from "@toolmount/core";
import type { ServerSettings } from "./config.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** What a connection is made with. */
export interface TransportOptions {
  readonly settings: ServerSettings;
  /** Where relative paths start: the plan's folder. */
  readonly folder: string | undefined;
  readonly logger: Logger;
  /** Authorizes requests over HTTP; with an own `fetch`, requests go through it. */
  readonly authProvider?: (AuthProvider & { readonly fetch?: FetchLike }) | undefined;
}

/** Makes the transport that an entry asks for; nothing is started yet. */
export function createTransport({ settings, folder, logger, authProvider }: TransportOptions): Transport {
  const { command, args, env, cwd, url, headers, transport, maxMessageBytes } = settings;
  if (command !== undefined)
    return new StdioTransport({ command, args, env, cwd: cwd ?? folder, maxMessageBytes, logger });
  const address = new URL(url ?? "");
  const options = {
    requestInit: { headers },
    ...(authProvider !== undefined && { authProvider }),
    ...(authProvider?.fetch !== undefined && { fetch: authProvider.fetch }),
  };
  return transport === "sse"
    ? new SSEClientTransport(address, options)
    : new StreamableHTTPClientTransport(address, { ...options, onInsufficientScope: "throw" });
}
