import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { AddressInfo } from "node:net";
import {
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import type { Host } from "@toolmount/core";
import { serveHttp, type ServeHttp } from "@toolmount/mcp";
import { onTestFinished } from "vitest";

/** Serves a host on loopback, behind the SDK's guards against foreign Hosts and Origins; closed after the test. */
export async function listen(host: Host, options: ServeHttp = {}): Promise<string> {
  const served = serveHttp(host, options);
  const url = await listenTo((request) => guard(request) ?? served.fetch(request));
  onTestFinished(() => served.close());
  return `${url}/mcp`;
}

function guard(request: Request): Response | undefined {
  return (
    hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
    originValidationResponse(request, localhostAllowedOrigins())
  );
}

/** Answers requests on loopback with a handler of the web's shape; closed after the test. */
export async function listenTo(handler: (request: Request) => Promise<Response> | Response): Promise<string> {
  const server = createServer((request, response) => void answer(handler, request, response));
  // A client on a busy machine would write into a connection that is being closed.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function answer(
  handler: (request: Request) => Promise<Response> | Response,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { method = "GET", headers, url = "/" } = request;
  const hasBody = method !== "GET" && method !== "HEAD";
  const given = new Request(`http://${headers.host ?? "127.0.0.1"}${url}`, {
    method,
    headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
    signal: gone.signal,
    ...(hasBody && { body: Readable.toWeb(request) as ReadableStream, duplex: "half" }),
  });
  try {
    const { status, headers: answered, body } = await handler(given);
    response.writeHead(status, Object.fromEntries(answered)).flushHeaders();
    if (body === null) response.end();
    else await pipeline(Readable.fromWeb(body as never), response);
  } catch {
    response.destroy(); // the client has left
  }
}
