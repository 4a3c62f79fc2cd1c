import { existsSync, readFileSync } from "node:fs";
import type { Clock } from "@toolmount/core";
import { waitFor } from "@toolmount/testing";
import { expect, onTestFinished, test } from "vitest";
import { extractPage } from "../src/extract/extract-page.ts";
import type { ReadJob } from "../src/extract/job.ts";
import { createReader } from "../src/extract/reader.ts";
import { pdfOf } from "./pdf.ts";

const limits = { timeoutMs: 600_000, memoryMb: 512 };
const job: ReadJob = {
  kind: "html",
  source: "<p>a</p>",
  bytes: new Uint8Array(),
  url: "http://a.test/",
  layout: true,
  whole: false,
};
const never = new AbortController().signal;

/** A clock whose timers end when a test says so, by the milliseconds that they were set for. */
function steered() {
  const timers = new Set<{ readonly ms: number; readonly callback: () => void }>();
  const clock: Clock = {
    now: () => 0,
    setTimer(callback, ms) {
      const timer = { ms, callback };
      timers.add(timer);
      return { cancel: () => void timers.delete(timer), keepAlive: () => {} };
    },
  };
  const end = (ms: number) => {
    for (const timer of timers) if (timer.ms === ms) timer.callback();
  };
  return { clock, end, waiting: () => [...timers].map(({ ms }) => ms) };
}

function open(given: Partial<typeof limits> = {}) {
  const before = children();
  const steering = steered();
  const reader = createReader({ ...limits, ...given }, steering.clock);
  onTestFinished(() => reader.close());
  return { ...steering, reader, own: () => children().filter((pid) => !before.includes(pid)) };
}

/** The processes that this one has started and that have not ended. */
function children(): string[] {
  const { pid } = process;
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ");
  return pids.filter((each) => each !== "" && !/^State:\sZ/m.test(statusOf(each)));
}

function statusOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "State:\tZ";
  }
}

const isOnLinux = process.platform === "linux";

test.runIf(isOnLinux)(
  "one job after the other is read in one process, which ends when it was idle for 30 seconds",
  async () => {
    const { reader, own, waiting, end } = open();
    expect(own()).toEqual([]);
    expect(await reader.read(job, never)).toMatchObject({ status: "read", text: "a", warnings: [] });
    const [first] = own();
    expect(waiting()).toEqual([30_000]);
    expect(await reader.read({ ...job, layout: false }, never)).toMatchObject({
      status: "read",
      text: "a",
      warnings: ["the page is too large to be laid out; this is its bare text"],
    });
    expect(own()).toEqual([first]);

    end(30_000);
    await waitFor(() => own().length === 0, { timeoutMs: 30_000 });
    expect(await reader.read(job, never)).toMatchObject({ text: "a" });
  },
);

test.runIf(isOnLinux)("a process that ended while it was idle gets no job", async () => {
  const { reader, own } = open();
  await reader.read(job, never);
  const pid = Number(own()[0]);
  process.kill(pid, "SIGKILL");
  // Gone, and not only ended: this process has noticed it.
  await waitFor(() => !existsSync(`/proc/${pid}`), { timeoutMs: 30_000 });
  await new Promise((resolve) => void setImmediate(resolve));

  expect(await reader.read(job, never)).toMatchObject({ text: "a" });
});

test.runIf(isOnLinux)("more than two jobs at once wait for a process", async () => {
  const { reader, own } = open();
  const reading = Array.from({ length: 5 }, (_, at) =>
    reader.read({ ...job, source: `<p>${at}</p>` }, never),
  );
  const busy = own().length;

  expect(
    (await Promise.all(reading)).map((answer) => (typeof answer === "string" ? answer : answer.text)),
  ).toEqual(["0", "1", "2", "3", "4"]);
  expect([busy, own().length]).toEqual([2, 2]);
});

test("a job that waits is cancelled with its call, and when the reader is closed", async () => {
  const { reader } = open();
  const caller = new AbortController();
  const busy = [reader.read(job, never), reader.read(job, never)];
  const [cancelled, left] = [reader.read(job, caller.signal), reader.read(job, never)];
  caller.abort();
  expect(await cancelled).toBe("cancelled");
  reader.close();

  expect(await left).toBe("cancelled");
  expect(await reader.read(job, never)).toBe("cancelled");
  expect(await Promise.all(busy)).toEqual(["cancelled", "cancelled"]);
});

test("a job that takes too long ends its process, and the next one is read", async () => {
  const { reader, end, waiting } = open({ timeoutMs: 2000 });
  const reading = reader.read(job, never);
  await waitFor(() => waiting().includes(2000), { timeoutMs: 30_000 });
  end(2000);

  expect(await reading).toBe("timeout");
  expect(waiting()).toEqual([]);
  expect(await reader.read(job, never)).toMatchObject({ text: "a" });
});

test("a job that is cancelled while it is read ends its process, and the next one is read", async () => {
  const { reader, waiting } = open({ timeoutMs: 2000 });
  const caller = new AbortController();
  const reading = reader.read(job, caller.signal);
  await waitFor(() => waiting().includes(2000), { timeoutMs: 30_000 });
  caller.abort();

  expect(await reading).toBe("cancelled");
  expect(await reader.read(job, never)).toMatchObject({ text: "a" });
});

const pdf = { kind: "pdf", source: "", url: "http://a.test/", layout: true, whole: false } as const;

test("a PDF becomes a heading and the text of each page, and a broken one says so", async () => {
  const { reader } = open();

  expect(await reader.read({ ...pdf, bytes: pdfOf(["One ", " Two"]) }, never)).toEqual({
    status: "read",
    text: "## Page 1\n\nOne\n\n## Page 2\n\nTwo",
    warnings: [],
    leftOut: {},
    lack: null,
    destination: null,
  });
  expect(await reader.read({ ...pdf, bytes: Buffer.from("%PDF-1.4 nonsense") }, never)).toMatchObject({
    status: "unreadable",
    text: "Invalid PDF structure.",
    warnings: [],
  });
});

test.each([
  [
    "text/html",
    "<p>a</p>",
    "FETCH_TIMED_OUT",
    "Timeout reading http://a.test/: more than 2000 ms",
    { timeout_ms: 2000 },
  ],
  [
    "application/pdf",
    "%PDF-",
    "FETCH_TIMED_OUT",
    "Timeout reading http://a.test/: more than 2000 ms",
    { timeout_ms: 2000 },
  ],
])(
  "a page of type %s that takes too long is a failure",
  async (contentType, body, code, message, details) => {
    const { reader, end, waiting } = open({ timeoutMs: 2000 });
    const page = { finalUrl: "http://a.test/", contentType, body: Buffer.from(body) };
    const options = {
      reader,
      limits: { timeoutMs: 2000, memoryMb: 512 },
      readable: true,
      whole: false,
      signal: never,
    };
    const reading = extractPage(page, options).catch((thrown: unknown) => thrown);
    const isOver = reading.then(() => true);
    while (!(await Promise.race([isOver, new Promise((resolve) => void setImmediate(resolve, false))])))
      if (waiting().includes(2000)) end(2000);

    expect(await reading).toMatchObject({ code, message, details });
  },
);
