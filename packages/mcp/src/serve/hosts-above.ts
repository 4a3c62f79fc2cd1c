import { pipeline, Transform, type Readable, type Writable } from "node:stream";
import { finished } from "node:stream/promises";
import { CLIENT_CAPABILITIES_META_KEY, Server } from "@modelcontextprotocol/server";
import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import type { HostLink } from "@toolmount/core";
import { readChain, writeChain } from "../wire/chain.ts";
import { isRecord } from "@toolmount/core/json";

/**
 * How long a client may be silent before it counts as one that is not a host, in milliseconds. A host sends a message at once.
 */
const patienceMs = 5_000;

/** Bytes within which the first message has to end. */
const maxBytes = 1024 * 1024;

/** The input of a server over stdio, and the hosts that its client names in its first message. */
export interface HostsAbove {
  /** Use this in place of the input that was given. */
  readonly input: Readable;
  /** Resolves to these hosts, for `openHost(plan, { above })`; the list is empty if the client is not a host. */
  readonly above: () => Promise<readonly HostLink[]>;
}

/**
 * Reads which hosts are above this process from the first message of its client. A host that knows them does not start a server
 * that would start this plan again, and so endlessly.
 */
export function readHostsAbove(given: Readable): HostsAbove {
  const { promise, resolve } = Promise.withResolvers<readonly HostLink[]>();
  let begin: Buffer | undefined = Buffer.alloc(0);
  const peek = (chunk: Buffer) => {
    if (begin === undefined) return;
    begin = Buffer.concat([begin, chunk]);
    const end = begin.indexOf("\n");
    if (end === -1 && begin.length < maxBytes) return;
    resolve(linksOf(begin.subarray(0, Math.max(end, 0)).toString()));
    begin = undefined;
  };
  const input = new Transform({
    highWaterMark: maxBytes,
    transform: (chunk: Buffer, _, done) => {
      peek(chunk);
      done(null, chunk);
    },
  });
  // After the thread was busy for long, what has arrived meanwhile is read before the wait counts as over.
  setTimeout(() => setImmediate(() => resolve([])), patienceMs).unref();
  pipeline(given, input, () => resolve([]));
  return { input, above: () => promise };
}

/** Returns the hosts that a request of either revision names. */
function linksOf(line: string): readonly HostLink[] {
  try {
    const message: unknown = JSON.parse(line);
    const params = isRecord(message) && isRecord(message["params"]) ? message["params"] : {};
    const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
    const capabilities = params["capabilities"] ?? meta[CLIENT_CAPABILITIES_META_KEY];
    return isRecord(capabilities) ? readChain(capabilities["experimental"]) : [];
  } catch {
    return [];
  }
}

/**
 * Serves an empty list of tools with the names of the hosts above to which this process leads back, so that none of them mounts
 * it. Resolves when the client has closed the input.
 */
export async function serveRefusal(
  hosts: readonly HostLink[],
  { input, output }: { readonly input: Readable; readonly output: Writable },
): Promise<void> {
  const handle = serveStdio(
    () => {
      const server = new Server({ name: "toolmount", version: "0.0.0" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: [], _meta: writeChain(hosts) }));
      return server;
    },
    { transport: new StdioServerTransport(input, output) },
  );
  await finished(input).catch(() => {}); // the client is gone
  await handle.close();
}
