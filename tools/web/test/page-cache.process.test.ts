import { gzipSync } from "node:zlib";
import { createWebFetch } from "@toolmount/tool-web";
import { expect, test } from "vitest";
import { serve } from "./world.ts";

/** A server of texts that counts how often each was fetched, and a clock that a test moves. */
async function counting(sizes: Readonly<Record<string, number>> = {}) {
  const times: Record<string, number> = {};
  const { url, port } = await serve((request, response) => {
    const path = request.url!;
    times[path] = (times[path] ?? 0) + 1;
    const body = gzipSync("x".repeat(sizes[path] ?? 10));
    response.writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip" }).end(body);
  });
  const clock = {
    nowMs: 1_000_000,
    now: () => clock.nowMs,
    setTimer: () => ({ cancel() {}, keepAlive() {} }),
  };
  const tool = createWebFetch({ allow_private: true, allowed_ports: [port] }, { clock });
  const read = (path: string, offset = 1) =>
    tool.execute({ url: url(path), offset, limit: 1 }, { sessionId: "s" });
  return { read, times, clock };
}

test("a later part comes from the page that was read, for five minutes", async () => {
  const { read, times, clock } = await counting();
  await read("/a", 0);
  clock.nowMs += 300_000;
  await read("/a");
  expect(times).toEqual({ "/a": 1 });
  clock.nowMs += 1;
  await read("/a");
  expect(times).toEqual({ "/a": 2 });
});

test("the first part of a page is always fetched", async () => {
  const { read, times } = await counting();
  await read("/a", 0);
  await read("/a", 0);

  expect(times).toEqual({ "/a": 2 });
});

test("the last sixteen pages are kept, and what was read again counts as later", async () => {
  const { read, times } = await counting();
  const names = Array.from({ length: 17 }, (_, at) => `/${at}`);
  for (const name of names.slice(0, 16)) await read(name, 0);
  await read("/0", 0);
  await read("/16", 0);
  for (const name of names) if (name !== "/1") await read(name);
  await read("/1");

  expect(times).toEqual(
    Object.fromEntries(names.map((name) => [name, name === "/0" || name === "/1" ? 2 : 1])),
  );
});

test("pages of eight million characters are kept in all, and none that is larger", async () => {
  const { read, times } = await counting({ "/a": 5_000_000, "/b": 3_000_000, "/c": 1, "/d": 8_000_001 });
  await read("/a", 0);
  await read("/b", 0);
  await read("/a");
  await read("/b");
  await read("/d", 0);
  await read("/d");
  expect(times).toEqual({ "/a": 1, "/b": 1, "/d": 2 });
  await read("/c", 0);
  await read("/b");
  await read("/a");
  expect(times).toEqual({ "/a": 2, "/b": 1, "/c": 1, "/d": 2 });
});
