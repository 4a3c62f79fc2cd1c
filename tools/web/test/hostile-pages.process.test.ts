import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { createHost } from "@toolmount/core";
import { waitFor } from "@toolmount/testing";
import { config, createWebFetch, mount, type Settings } from "@toolmount/tool-web";
import { expect, onTestFinished, test } from "vitest";
import { pdfOf } from "./pdf.ts";
import { serve } from "./world.ts";

/** A tool that may fetch from a local server with these pages. */
async function fetching(
  pages: Readonly<Record<string, [type: string, body: string | Buffer]>>,
  settings: Settings = {},
) {
  const { port, url } = await serve((request, response) => {
    const [type, body] = pages[request.url!]!;
    response.writeHead(200, { "content-type": type }).end(body);
  });
  const tool = createWebFetch({ allow_private: true, allowed_ports: [port], ...settings });
  return { port, url, read: (path: string, context = {}) => tool.execute({ url: url(path) }, context) };
}

/** A PDF with one page, whose content is this stream. */
function pdfWith(stream: string): Buffer {
  const packed = deflateSync(stream);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed.toString("latin1")}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  const body = objects.map((object, at) => `${at + 1} 0 obj\n${object}\nendobj\n`).join("");
  return Buffer.from(`%PDF-1.4\n${body}trailer\n<< /Root 1 0 R /Size 6 >>\n%%EOF`, "latin1");
}

/** About 20 KB that take pdf.js many seconds. */
const slowPdf = pdfWith(`BT /F1 12 Tf ${"(a) Tj 1 0 0 1 0 0 Tm ".repeat(1_500_000)} ET`);

const html = "text/html";

test.each([
  ["a cell that spans ten million columns", "<table><tr><th colspan=10000000>wide</th></tr></table>", "wide"],
  ["14,000 cells in a row", `<table><tr>${"<td>c</td>".repeat(14_000)}</tr></table>`, "c | c"],
  ["14,000 rows", `<table>${"<tr><td>c</td></tr>".repeat(14_000)}</table>`, "c"],
  ["1.9 million open brackets", "<".repeat(1_900_000), ""],
  ["one tag with 300,000 attributes", `<p ${"a=b ".repeat(300_000)}>text</p>`, "text"],
  ["elements 100,000 deep", `${"<div>".repeat(100_000)}deep`, "deep"],
])("%s is read while the host's thread stays free", async (_title, body, text) => {
  const { read } = await fetching({ "/": [html, body] });
  const before = process.cpuUsage();

  const { error, data } = await read("/");

  const { user } = process.cpuUsage(before);
  expect(error).toBeUndefined();
  expect((data as { content: string }).content).toContain(text);
  expect(user / 1_000_000).toBeLessThan(3);
});

test("a PDF that takes too long is ended at the deadline, and the next page is read", async () => {
  const { read } = await fetching(
    { "/slow": ["application/pdf", slowPdf], "/fine": ["application/pdf", pdfOf(["Words"])] },
    { extract_timeout: 2 },
  );

  expect(await read("/slow")).toMatchObject({ code: "FETCH_TIMED_OUT", details: { timeout_ms: 2000 } });
  const { read: again } = await fetching({ "/fine": ["application/pdf", pdfOf(["Words"])] });
  expect(await again("/fine")).toMatchObject({ data: { content: "## Page 1\n\nWords" } });
});

test("a PDF that takes too much memory is ended at the cap", async () => {
  const bomb = pdfWith(`BT /F1 12 Tf (${"a".repeat(150_000_000)}) Tj ET`);
  const { read } = await fetching(
    { "/": ["application/pdf", bomb] },
    { extract_memory_mb: 200, extract_timeout: 60 },
  );

  expect(await read("/")).toMatchObject({ code: "RESPONSE_TOO_LARGE", details: { memory_mb: 200 } });
});

test.runIf(process.platform === "linux")(
  "cancelling the call ends the process in the middle of a page",
  async () => {
    const { read } = await fetching({ "/": ["application/pdf", slowPdf] }, { extract_timeout: 600 });
    const before = childrenOf(process.pid);
    const caller = new AbortController();
    const reading = read("/", { abortSignal: caller.signal });
    const reader = await waitFor(
      () => childrenOf(process.pid).find((pid) => !before.includes(pid) && isBusy(pid)),
      { timeoutMs: 60_000 },
    );

    caller.abort();

    expect(await reading).toMatchObject({ code: "FETCH_CANCELLED" });
    await waitFor(() => stateOf(reader) === null, { timeoutMs: 30_000 });
  },
);

test("closing the host ends the processes that read", async () => {
  const { port, url } = await serve((_request, response) => {
    response.writeHead(200, { "content-type": html }).end("<p>text</p>");
  });
  const before = childrenOf(process.pid);
  const host = createHost();
  await mount(host.coordinator, config.parse({ allow_private: true, allowed_ports: [port] }));
  await host.call({ name: "web_fetch", arguments: { url: url() } });

  await host.close();

  const isGone = () => childrenOf(process.pid).every((pid) => before.includes(pid));
  expect(await waitFor(isGone, { timeoutMs: 30_000 })).toBe(true);
});

test.runIf(process.platform === "linux")(
  "a host that is killed leaves no process that reads, even in the middle of a page",
  async () => {
    const { port, url } = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "application/pdf" }).end(slowPdf);
    });
    const program = `
      const { createWebFetch } = await import(${JSON.stringify(import.meta.resolve("@toolmount/tool-web"))});
      const tool = createWebFetch({ allow_private: true, allowed_ports: [${port}], extract_timeout: 600 });
      await tool.execute({ url: ${JSON.stringify(url())} });
    `;
    const flags = ["-C", "@toolmount/source", "--input-type=module", "--eval", program];
    const host = spawn(process.execPath, flags, { stdio: "ignore" });
    onTestFinished(() => void host.kill("SIGKILL"));
    const readers = await waitFor(
      () => {
        const found = childrenOf(host.pid!);
        return found.length > 0 && found.every(isBusy) ? found : null;
      },
      { timeoutMs: 60_000 },
    );

    host.kill("SIGKILL");

    expect(await waitFor(() => readers.every((pid) => stateOf(pid) === null), { timeoutMs: 30_000 })).toBe(
      true,
    );
  },
);

function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => stateOf(pid)?.parent === parent);
}

/** Whether a process has used a second of CPU time: it is past its start. */
function isBusy(pid: number): boolean {
  return (stateOf(pid)?.ticks ?? 0) > 100;
}

function stateOf(pid: number): { parent: number; ticks: number } | null {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
      .replace(/^.*\) /s, "")
      .split(" ");
    return fields[0] === "Z" ? null : { parent: Number(fields[1]), ticks: Number(fields[11]) };
  } catch {
    return null;
  }
}
