import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createHost, data, defineTool, failure } from "@toolmount/core";
import { config, createWebFetch, mount } from "@toolmount/tool-web";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { pageOfText } from "../src/tools/web-fetch.ts";
import { serve } from "./world.ts";

async function mounted(settings: object = {}) {
  const host = createHost();
  onTestFinished(() => void host.close());
  await mount(host.coordinator, config.parse(settings));
  return host;
}

/** Writes into a folder, or refuses. */
function writeFileTool(write: (path: string, content: string) => string | null) {
  return defineTool({
    name: "write_file",
    description: "Writes a file.",
    schema: z.strictObject({ file_path: z.string(), content: z.string() }),
    category: "write",
    consequenceLevel: "medium",
    requiresConfirmation: false,
    execute: ({ file_path, content }) => {
      const refused = write(file_path, content);
      return refused === null ? data({ file_path }) : failure(refused, { code: "ACCESS_DENIED" });
    },
  });
}

const long = "0123456789".repeat(300);

async function page(text = long) {
  let times = 0;
  const { port, url } = await serve((_request, response) => {
    times++;
    response.writeHead(200, { "content-type": "text/plain" }).end(text);
  });
  return { url: url(), times: () => times, settings: { allow_private: true, allowed_ports: [port] } };
}

test("AMP-21, AMP-27: through a host, a page is fetched", async () => {
  const { url, settings } = await page("hello");
  const host = await mounted(settings);

  expect(await host.call({ name: "web_fetch", arguments: { url } })).toMatchObject({
    status: "ok",
    result: { data: { content: "hello" } },
  });
});

test("a long text comes in pages, of one fetch, and each says where the next begins", async () => {
  const { url, settings, times } = await page();
  const host = await mounted(settings);
  const read = async (offset: number) => {
    const { result } = await host.call(
      { name: "web_fetch", arguments: { url, offset, limit: 1000 } },
      { sessionId: "s" },
    );
    return result.data as { content: string; next_offset: number | null; truncated: boolean };
  };
  const [first, last] = [await read(0), await read(2500)];

  expect(first).toMatchObject({
    truncated: true,
    next_offset: 1000,
    content: `${long.slice(0, 1000)}\n\n[Cut at 1000 of 3000 characters. For the next part, call web_fetch with offset 1000.]`,
  });
  expect(last).toMatchObject({ truncated: false, next_offset: null, content: long.slice(2500) });
  expect(times()).toBe(1);
});

test("what one session read is not kept for another", async () => {
  const { url, settings, times } = await page();
  const host = await mounted(settings);
  await host.call({ name: "web_fetch", arguments: { url } }, { sessionId: "a" });
  await host.call({ name: "web_fetch", arguments: { url, offset: 1 } }, { sessionId: "b" });

  expect(times()).toBe(2);
});

test("an offset behind the end gives nothing, and says how much there is", async () => {
  const { url, settings } = await page("abc");

  expect((await createWebFetch(settings).execute({ url, offset: 10 })).data).toMatchObject({
    content: "",
    offset: 3,
    total_characters: 3,
    next_offset: null,
  });
});

test("whatever is paged, the pages put together are the text, and no character is halved", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.integer({ min: 1, max: 7 }), (text, limit) => {
      let whole = "";
      for (let at: number | null = 0; at !== null;) {
        const { content, nextOffset } = pageOfText(text, at, limit);
        expect(content.isWellFormed()).toBe(true);
        whole += content;
        at = nextOffset;
      }
      expect(whole).toBe(text);
    }),
  );
});

test("save_to_file writes through the host's write_file, and shows the beginning", async () => {
  const { url, settings } = await page();
  const host = await mounted(settings);
  const written: [string, string][] = [];
  host.coordinator.mount(
    "tools",
    writeFileTool((...file) => (written.push(file), null)),
  );
  const { result } = await host.call({ name: "web_fetch", arguments: { url, save_to_file: "a.txt" } });

  expect(written).toEqual([["a.txt", long]]);
  expect(result.data).toMatchObject({
    content: long.slice(0, 1000),
    truncated: false,
    saved_to: "a.txt",
    saved_bytes: 3000,
    total_bytes: 3000,
  });
});

test("save_to_file obeys what write_file refuses", async () => {
  const { url, settings } = await page();
  const host = await mounted(settings);
  host.coordinator.mount(
    "tools",
    writeFileTool((path) => `Access denied: ${path} is not within allowed write paths`),
  );

  expect(await host.call({ name: "web_fetch", arguments: { url, save_to_file: "/etc/x" } })).toMatchObject({
    status: "failed",
    result: {
      error: "Failed to write file: Access denied: /etc/x is not within allowed write paths",
      code: "SAVE_FAILED",
    },
  });
});

test("save_to_file obeys a gate on write_file", async () => {
  const { url, settings } = await page();
  const host = await mounted(settings);
  host.coordinator.mount(
    "tools",
    writeFileTool(() => expect.unreachable("it was denied")),
  );
  host.coordinator.hooks.gate("tool:pre", (_event, call) =>
    call["tool_name"] === "write_file" ? { action: "deny", reason: "no files" } : { action: "continue" },
  );

  expect(await host.call({ name: "web_fetch", arguments: { url, save_to_file: "x" } })).toMatchObject({
    result: { code: "SAVE_FAILED", error: expect.stringContaining("no files") },
  });
});

test("save_to_file without a host, or without a write_file, is a failure", async () => {
  const { url, settings } = await page();
  const host = await mounted(settings);

  expect(await createWebFetch(settings).execute({ url, save_to_file: "x" })).toMatchObject({
    code: "SAVE_FAILED",
  });
  expect(await host.call({ name: "web_fetch", arguments: { url, save_to_file: "x" } })).toMatchObject({
    result: { code: "SAVE_FAILED" },
  });
});

test.each([
  [{ allowed_domains: ["http://example.com"] }],
  [{ allowed_domains: ["example.com/path"] }],
  [{ allowed_ports: [0] }],
  [{ timeout: 0 }],
  [{ user_agent: "a\r\nx: y" }],
  [{ engines: [{ type: "searxng", url: "file:///etc" }] }],
  [{ engines: [{ type: "google", api_key: "x" }] }],
  [{ proxy: "http://x" }],
])("settings %j are refused", (settings) => {
  expect(config.safeParse(settings).success).toBe(false);
});

test("AMP-7: the manifest lists the module's tools", async () => {
  const text = await readFile(join(import.meta.dirname, "../package.json"), "utf8");
  const { toolmount } = JSON.parse(text) as { toolmount: { config: object; tools: { name: string }[] } };
  const host = await mounted();
  const offered = new Map(host.tools().map((tool) => [tool.name, tool as object]));

  expect([...offered.keys()].toSorted()).toEqual(toolmount.tools.map(({ name }) => name).toSorted());
  for (const tool of toolmount.tools) expect(offered.get(tool.name)).toMatchObject(tool);
  expect(toolmount.config).toEqual(config["~standard"].jsonSchema.input({ target: "draft-2020-12" }));
});

test("APTIX-72: each tool's guidance has its sections, and names its codes", async () => {
  const host = await mounted();

  for (const { name, usage = "" } of host.tools()) {
    expect(usage.startsWith(`${name}: `)).toBe(true);
    for (const section of ["Primary purpose", "Rules", "Arguments", "Error codes", "Good usage", "Bad usage"])
      expect(usage).toContain(`\n${section}\n`);
  }
});
