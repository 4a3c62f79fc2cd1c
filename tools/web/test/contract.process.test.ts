import * as module from "@toolmount/tool-web";
import { readManifest } from "@toolmount/testing";
import { describeToolModule } from "@toolmount/testing/vitest";
import { createServer } from "node:http";
import { once } from "node:events";
import { afterAll } from "vitest";

const page = `<nav>Home</nav><main><h1>Fees</h1><p>${"Words of the page. ".repeat(50)}</p></main>`;
const server = createServer((_request, response) => {
  response.setHeader("content-type", "text/html").end(page);
}).listen(0, "127.0.0.1");
await once(server, "listening");
afterAll(() => server.close());
const { port } = server.address() as { port: number };
const url = `http://127.0.0.1:${port}/`;

describeToolModule(module, {
  url: import.meta.resolve("@toolmount/tool-web"),
  manifest: readManifest(new URL("../package.json", import.meta.url)),
  config: { allow_private: true, allowed_ports: [port] },
  partial: { web_fetch: [{ url }, { url, limit: 20, whole: true }], web_search: [] },
  invalid: {
    web_fetch: [{}, { url: "file:///etc/passwd" }, { url: "http://127.0.0.1:1/" }],
    web_search: [{}],
  },
  usage: {
    web_fetch: [/next_offset/, /kept for five minutes/],
    web_search: [/When no engine answers, the call fails/, /max_results/],
  },
});
