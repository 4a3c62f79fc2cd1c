import { brotliCompressSync, gzipSync } from "node:zlib";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createWebFetch, type Settings } from "@toolmount/tool-web";
import { expect, test } from "vitest";
import { pdfOf } from "./pdf.ts";
import { resolver, serve } from "./world.ts";

type Page = readonly [status: number, headers: Readonly<Record<string, string>>, body?: string | Buffer];

const plain = { "content-type": "text/plain" };
const manyGzips = (times: number) =>
  Array.from({ length: times }).reduce<Buffer>((bytes) => gzipSync(bytes), Buffer.from("deep"));

/** The pages of a server, by their paths. */
const pages: Readonly<Record<string, Page>> = {
  "/text": [200, plain, "0123456789"],
  "/emoji": [200, plain, "a\u{1f600}b\u{1f600}c"],
  "/empty": [200, plain, ""],
  "/query?a=1": [200, plain, "asked with a query"],
  "/html": [200, { "content-type": "text/html; charset=utf-8" }, "<title>T</title><p>Hello <b>you</b></p>"],
  "/xhtml": [200, { "content-type": "application/xhtml+xml" }, "<html><body><p>X</p></body></html>"],
  "/pdf": [200, { "content-type": "application/pdf" }, pdfOf(["One", "Two"])],
  "/broken.pdf": [200, { "content-type": "application/pdf" }, "%PDF-1.4 nonsense"],
  "/untyped.pdf": [200, {}, pdfOf(["One"])],
  "/untyped.html": [200, {}, " <HEAD><p>H"],
  "/untyped.bin": [200, {}, Buffer.from([65, 0, 66])],
  "/untyped.txt": [200, {}, "see <html>"],
  "/octets.txt": [200, { "content-type": "application/octet-stream" }, "words"],
  "/octets.bin": [200, { "content-type": "application/octet-stream" }, Buffer.from([0, 1])],
  "/svg": [200, { "content-type": "image/svg+xml" }, "<svg/>"],
  "/png": [200, { "content-type": "image/png" }, "PNG"],
  "/mail": [200, { "content-type": "message/rfc822" }, "From: a"],
  "/no-type": [200, { "content-type": "nonsense" }, "words"],
  "/to-text": [302, { location: "/text" }],
  "/to-to-text": [301, { location: "to-text" }],
  "/to-itself": [307, { location: "/to-itself" }],
  "/to-private": [302, { location: "http://10.0.0.1/" }],
  "/to-nowhere": [302, { location: "http://gone.test/" }],
  "/to-port": [302, { location: "http://127.0.0.1:1/" }],
  "/to-ftp": [302, { location: "ftp://127.0.0.1/" }],
  "/no-location": [302, {}],
  "/not-modified": [304, { location: "/text" }],
  "/multiple": [300, { location: "/text" }],
  "/missing": [404, {}, "not here"],
  "/created": [201, plain, "made"],
  "/gzip": [200, { ...plain, "content-encoding": "GZIP" }, gzipSync("deep")],
  "/identity": [200, { ...plain, "content-encoding": "identity, gzip" }, gzipSync("deep")],
  "/gzip-3": [200, { ...plain, "content-encoding": "gzip, gzip,gzip" }, manyGzips(3)],
  "/gzip-4": [200, { ...plain, "content-encoding": "gzip, gzip, gzip, gzip" }, manyGzips(4)],
  "/gzip-br": [200, { ...plain, "content-encoding": "gzip, br" }, brotliCompressSync(gzipSync("deep"))],
  "/not-gzip": [200, { ...plain, "content-encoding": "gzip" }, "plain text"],
  "/not-br": [200, { ...plain, "content-encoding": "br" }, "plain text"],
  "/not-zstd": [200, { ...plain, "content-encoding": "zstd" }, "plain text"],
  "/unknown-encoding": [200, { ...plain, "content-encoding": `x-${"y".repeat(50)}` }, "plain text"],
  "/1000": [200, plain, "x".repeat(1000)],
  "/1001": [200, plain, "x".repeat(1001)],
  "/gzip-1000": [200, { ...plain, "content-encoding": "gzip" }, gzipSync("x".repeat(1000))],
  "/gzip-1001": [200, { ...plain, "content-encoding": "gzip" }, gzipSync("x".repeat(1001))],
  "/hidden": [200, plain, "a\u202eb\u{e0041}c\u2066\r\nd\u0007\t\ud800"],
};

/** Fetches, each with the settings of the module where it has some, and the whole answer. BASE is the server. */
const cases = readFileSync(join(import.meta.dirname, "fetch-answers.txt"), "utf8")
  .trim()
  .split("\n\n")
  .map((group) => {
    const [given = "", ...rest] = group.split("\n");
    const settings = rest[0]?.startsWith("with ") === true ? rest.shift()!.slice(5) : "{}";
    return { given, settings, answer: rest };
  });

test.each(cases)(
  "the fetch $given with $settings answers as it says",
  async ({ given, settings, answer }) => {
    const server = await serve((request, response) => {
      const [status, headers, body = ""] = pages[request.url!] ?? [404, {}];
      response.writeHead(status, headers).end(body);
    });
    const base = server.url("");
    const ports = { allow_private: true, allowed_ports: [80, server.port] };
    const resolve = resolver({ "public.test": ["93.184.216.34"], "inside.test": ["10.0.0.1"] });
    const tool = createWebFetch({ ...ports, ...(JSON.parse(settings) as Settings) }, { resolve });
    const params = JSON.parse(given.replace("BASE", base)) as Record<string, unknown>;
    const { data, fetchedAt: _, tool: __, ...others } = await tool.execute(params);
    const result = { ...(data as object), ...others };

    expect(linesOf(result, base)).toEqual(answer);
  },
);

/** A line for each member. */
function linesOf(result: object, base: string): string[] {
  return Object.entries(result).map(([key, member]) =>
    `${key}: ${JSON.stringify(member)}`
      .replaceAll(base, "BASE")
      .replaceAll(/(\w)\1{50,}/g, (run) => `${run[0]}×${run.length}`),
  );
}
