// The server of a product: its page, its chat, and the way from its page to toolmount.
import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { buffer, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import type { Host } from "@toolmount/core";

interface Product {
  readonly host: Host;
  /** The server of toolmount, and a token of it with the roles that the users of the chat have. */
  readonly toolmount: string;
  readonly token: string;
}

const files: Readonly<Record<string, readonly [type: string, file: string]>> = {
  "/": ["text/html", "index.html"],
  "/chat.js": ["text/javascript", "chat.js"],
  "/elements.js": ["text/javascript", fileURLToPath(import.meta.resolve("@toolmount/page/elements"))],
};

export function createProduct(product: Product): Server {
  return createServer((request, response) => {
    answer(product, request, response).catch(() => response.destroy());
  });
}

async function answer(product: Product, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [type, file] = files[request.url ?? ""] ?? [];
  if (file !== undefined)
    return void response.writeHead(200, { "content-type": type }).end(await readFile(file));
  // Here the product checks who its user is.
  if (request.url?.startsWith("/toolmount/api/") === true) return passOn(product, request, response);
  if (request.url === "/notes") return void response.end(await save(product.host, await text(request)));
  response.writeHead(404).end();
}

/** What a model of the product would ask for: a call that waits for its person. */
async function save(host: Host, content: string): Promise<string> {
  const call = { name: "write_file", arguments: { file_path: "note.txt", content } };
  const { status } = await host.call(call, { sessionId: "chat-1" });
  return status === "pending" ? "That needs your yes." : status;
}

/** Passes a request of the page on, with the token. */
async function passOn({ toolmount, token }: Product, request: IncomingMessage, response: ServerResponse) {
  const over = new AbortController();
  response.once("close", () => over.abort());
  const { accept = "*/*", "content-type": type = "application/json" } = request.headers;
  const body = request.method === "GET" ? null : await buffer(request);
  const answered = await fetch(toolmount + request.url!.slice("/toolmount".length), {
    method: request.method!,
    headers: { authorization: `Bearer ${token}`, accept, "content-type": type },
    body,
    signal: over.signal,
  });
  response.writeHead(answered.status, { "content-type": answered.headers.get("content-type") ?? "" });
  for await (const chunk of answered.body ?? []) response.write(chunk);
  response.end();
}
