import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { servesToolmount } from "../../src/scaffold/serves-toolmount.ts";

test.each<[object, boolean]>([
  [{ command: "toolmount", args: ["serve"] }, true],
  [{ command: "npx", args: ["-y", "toolmount@1", "serve", "plan.yaml"] }, true],
  [{ command: "C:\\bin\\Toolmount.cmd", args: ["serve"] }, true],
  [{ command: "sh", args: ["-c", 'cd x && npx "toolmount" serve'] }, true],
  [{ command: "node", args: ["/x/toolmount/dist/main.js", "serve"] }, true],
  [{ command: "node", args: ["/own/main.ts", "serve"] }, true],
  [{ command: "node", args: ["/other/main.ts", "serve"] }, false],
  [{ command: "node", args: ["/x/toolmount/test/main.js", "serve"] }, false],
  [{ command: "toolmount", args: ["list"] }, false],
  [{ command: "toolmount" }, false],
  [{ command: "serve", args: ["toolmount"] }, false],
  [{ command: "mytoolmount", args: ["serve"] }, false],
  [{}, false],
])("whether %j runs toolmount serve: %s", async (entry, isOwn) => {
  expect(await servesToolmount(entry as never, "/own/main.ts")).toBe(
    isOwn ? "it runs toolmount serve" : undefined,
  );
});

async function serve(html: string): Promise<number> {
  const server = createServer((_, response) => response.end(html)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

test("whether an address of this machine is toolmount's, its page says", async () => {
  const own = await serve("<html><title>toolmount</title>");
  const other = await serve("<title>other</title>");
  const says = (url: string) => servesToolmount({ url }, undefined);

  expect(await says(`http://127.0.0.1:${own}/mcp/x`)).toBe("toolmount serves it here");
  expect(await says(`http://localhost:${own}/mcp`)).toBe("toolmount serves it here");
  expect(await says(`http://127.0.0.1:${other}/mcp`)).toBeUndefined();
  expect(await says(`http://127.0.0.1.example.org:${own}/mcp`)).toBeUndefined();
  expect(await says("http://127.0.0.1:1/mcp")).toBeUndefined();
  expect(await says("no address")).toBeUndefined();
});
