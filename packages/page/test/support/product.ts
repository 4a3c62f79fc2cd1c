import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { rolldown } from "rolldown";
import { onTestFinished } from "vitest";

/** What a strict product lets its page do. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; require-trusted-types-for 'script'; trusted-types 'none'";

interface Page {
  readonly body: string;
  readonly script: string;
}

const documentOf = (body: string) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>A chat</title><link rel="stylesheet" href="/chat.css"><script type="module" src="/chat.js"></script></head>
<body>${body}</body></html>`;

const plain: Page = {
  body: `<main><h1>A chat</h1>
<p>You: pay Ann.</p>
<toolmount-question session="s1"></toolmount-question>
<toolmount-question session="s2"></toolmount-question>
<toolmount-story session="s1"></toolmount-story>
</main>`,
  script: `import { connectToolmount } from "/elements.js";
globalThis.answers = [];
addEventListener("toolmount-answered", ({ detail }) => answers.push(detail));
globalThis.disconnect = connectToolmount({ server: "/toolmount", page: "https://ops.test/" });`,
};

/** The same chat as a program of React, bundled as a product's own build would do it. */
export async function reactPage(): Promise<Page> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL("react-chat.ts", import.meta.url)),
    platform: "browser",
    transform: { define: { "process.env.NODE_ENV": '"production"' } },
  });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
  await bundle.close();
  return { body: '<div id="root"></div>', script: output[0].code };
}

const style = "toolmount-question { --accent: rgb(1, 2, 3); border: 1px solid; }";

/** A product of its own origin: its page has the elements, and its server passes on what they ask, with the user's token. */
export async function serveProduct(toolmount: string, token: string, page: Page = plain) {
  const elements = await readFile(new URL("../../dist/elements.js", import.meta.url), "utf8");
  const files: Readonly<Record<string, readonly [string, string]>> = {
    "/": ["text/html", documentOf(page.body)],
    "/chat.js": ["text/javascript", page.script],
    "/chat.css": ["text/css", style],
    "/elements.js": ["text/javascript", elements],
  };
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    const [type, text] = files[request.url ?? ""] ?? [];
    const headers = { "content-type": `${type}; charset=utf-8`, "content-security-policy": policy };
    if (text !== undefined) response.writeHead(200, headers).end(text);
    else if (!request.url?.startsWith("/toolmount/")) response.writeHead(404).end();
    else {
      seen.push(request.headers.authorization);
      void passOn(request, response, toolmount, token);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as { port: number };
  return { url: `http://127.0.0.1:${port}`, seen };
}

async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  toolmount: string,
  token: string,
): Promise<void> {
  const over = new AbortController();
  response.once("close", () => over.abort());
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { "content-type": type, accept = "*/*" } = request.headers;
  try {
    const answer = await fetch(toolmount + request.url!.slice("/toolmount".length), {
      method: request.method!,
      headers: {
        authorization: `Bearer ${token}`,
        accept,
        ...(type !== undefined && { "content-type": type }),
      },
      ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
      signal: over.signal,
    });
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    for await (const chunk of answer.body ?? []) response.write(chunk);
    response.end();
  } catch {
    response.destroy();
  }
}
