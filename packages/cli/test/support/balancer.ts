import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

/** A plain balancer: each request goes to a random server, and nothing of one request is remembered for another. */
export interface Balancer {
  readonly url: string;
  /** Requests go to this server from now on. */
  add(url: string): void;
  /** No request goes to it any more; those that it has may end. */
  remove(url: string): void;
  readonly servers: readonly string[];
}

/**
 * Starts a balancer on loopback. A server whose connection is refused is not asked: the request goes to another. What breaks
 * later is answered with 502, or cut where its answer has begun, as usual balancers do.
 */
export async function startBalancer(): Promise<Balancer> {
  const servers = new Set<string>();
  const balancer = createServer((incoming, outgoing) => void pass(incoming, outgoing, servers));
  await new Promise<void>((resolve) => balancer.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    balancer.closeAllConnections();
    balancer.close();
  });
  return {
    url: `http://127.0.0.1:${(balancer.address() as AddressInfo).port}`,
    add: (url) => void servers.add(url),
    remove: (url) => void servers.delete(url),
    get servers() {
      return [...servers];
    },
  };
}

async function pass(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  servers: ReadonlySet<string>,
): Promise<void> {
  const body = Buffer.concat(await incoming.toArray());
  const left = [...servers];
  const next = () => {
    const [url] = left.splice(Math.floor(Math.random() * left.length), 1);
    if (url === undefined) {
      outgoing.writeHead(502).end();
      return;
    }
    const { method, headers } = incoming;
    const asked = request(new URL(incoming.url!, url), {
      method,
      headers: { ...headers, host: new URL(url).host },
    });
    asked.on("response", (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.on("error", () => outgoing.destroy());
      answer.pipe(outgoing);
    });
    asked.on("error", ({ code }: NodeJS.ErrnoException) => {
      if (code === "ECONNREFUSED") next();
      else if (outgoing.headersSent) outgoing.destroy();
      else outgoing.writeHead(502).end();
    });
    outgoing.on("close", () => asked.destroy());
    asked.end(body);
  };
  next();
}
