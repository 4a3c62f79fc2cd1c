import { silentLogger } from "@toolmount/core";
import { expect, onTestFinished, test } from "vitest";
import { answerStream, wantsStream } from "../src/api/stream.ts";
import { createMetrics } from "../src/journal/metrics.ts";
import { createWorld } from "./support/world.ts";

test("the figures count the calls, their time, the requests and what waits, each with its help", async () => {
  const { host } = createWorld();
  const other = createWorld();
  const hosts = new Map([["main", { host, journal: { running: 3 } }]]);
  const metrics = createMetrics(hosts as never, silentLogger);
  onTestFinished(async () => {
    metrics.close();
    await Promise.all([host.close(), other.host.close()]);
  });
  await host.call({ name: "echo" });
  await host.call({ name: "made_up" });
  await host.call({ name: "wipe" }, { sessionId: "s" });
  await other.host.call({ name: "echo" });
  metrics.request("GET", 200);
  metrics.request("GET", 200);

  const own = async () => (await metrics.text()).split("\n").filter((line) => line.includes("toolmount_"));
  const lines = await own();
  expect(lines.filter((line) => !line.includes("duration"))).toEqual([
    "# HELP toolmount_calls_total Calls that ended, or that wait, by tool and status",
    "# TYPE toolmount_calls_total counter",
    'toolmount_calls_total{host="main",tool="echo",status="ok"} 1',
    'toolmount_calls_total{host="main",tool="_OTHER",status="not_found"} 1',
    'toolmount_calls_total{host="main",tool="wipe",status="pending"} 1',
    "# HELP toolmount_http_requests_total Requests over HTTP, by method and status",
    "# TYPE toolmount_http_requests_total counter",
    'toolmount_http_requests_total{method="GET",status="200"} 2',
    "# HELP toolmount_calls_running Calls that run now",
    "# TYPE toolmount_calls_running gauge",
    'toolmount_calls_running{host="main"} 3',
    "# HELP toolmount_approvals_waiting Questions that wait for a person",
    "# TYPE toolmount_approvals_waiting gauge",
    'toolmount_approvals_waiting{host="main"} 1',
  ]);
  const durations = lines.filter((line) => line.includes("duration"));
  expect(durations.slice(0, 2)).toEqual([
    "# HELP toolmount_call_duration_seconds Time from a call's arrival to its outcome, waiting included",
    "# TYPE toolmount_call_duration_seconds histogram",
  ]);
  const ofEcho = durations.filter((line) => line.includes('tool="echo"'));
  expect(ofEcho.flatMap((line) => /le="([^"]+)"/.exec(line)?.[1] ?? [])).toEqual([
    "0.005",
    "0.01",
    "0.05",
    "0.1",
    "0.5",
    "1",
    "5",
    "15",
    "60",
    "300",
    "+Inf",
  ]);
  const seconds = Number(
    ofEcho
      .find((line) => line.includes("_sum"))!
      .split(" ")
      .at(-1),
  );
  expect(seconds).toBeLessThan(60);
  expect(durations.some((line) => line.includes('tool="wipe"'))).toBe(false);
  expect(metrics.contentType).toMatch(/^text\/plain; version=/);
  metrics.close();
  await host.call({ name: "echo" });
  expect(await own()).toEqual([]);
});

/** A connection that takes so much, and what was written to it. */
function connection(waiting = 0) {
  const written: string[] = [];
  const drains: (() => void)[] = [];
  const outgoing = {
    writableLength: waiting,
    writableEnded: false,
    head: [] as unknown[],
    writeHead: (...words: unknown[]) => void outgoing.head.push(...words),
    flushHeaders: () => void outgoing.head.push("flushed"),
    write: (text: string) => void written.push(text),
    once: (_: string, drain: () => void) => void drains.push(drain),
    end: (text: string) => void written.push(text, "end"),
  };
  return {
    outgoing,
    written,
    drain: () => drains.splice(0).forEach((act) => act()),
    c: { env: { outgoing } } as never,
  };
}

const settled = () => new Promise(setImmediate);

test("a stream sends its events, and last what its work returns", async () => {
  const { outgoing, written, c } = connection();
  answerStream(c, async (send) => {
    send("step", { a: 1 });
    send("turn", null, "x.1");
    return { event: "bye", data: {} };
  });
  await settled();
  expect(outgoing.head).toEqual([
    200,
    { "content-type": "text/event-stream", "x-accel-buffering": "no" },
    "flushed",
  ]);
  expect(written).toEqual([
    'event: step\ndata: {"a":1}\n\n',
    "event: turn\ndata: null\nid: x.1\n\n",
    "event: bye\ndata: {}\n\n",
    "end",
  ]);
});

test("a stream without a last event ends empty, and one that fails ends with the error", async () => {
  const [silent, failing] = [connection(), connection()];
  answerStream(silent.c, async () => null);
  answerStream(failing.c, async () => {
    throw new Error("secret");
  });
  await settled();
  expect(silent.written).toEqual(["", "end"]);
  expect(failing.written[0]).toMatch(/^event: error\ndata: \{/);
  expect(failing.written[0]).not.toContain("secret");
});

test("a reader that is too slow loses events, and learns how many", async () => {
  const { outgoing, written, drain, c } = connection(1_000_001);
  let send: (event: string, data: unknown) => void = () => {};
  answerStream(c, (sending) => ((send = sending), new Promise(() => {})));
  send("a", 1);
  send("b", 2);
  expect(written).toEqual([]);
  outgoing.writableLength = 1_000_000;
  send("c", 3);
  drain();
  send("d", 4);
  expect(written).toEqual([
    "event: c\ndata: 3\n\n",
    'event: dropped\ndata: {"events":2}\n\n',
    "event: d\ndata: 4\n\n",
  ]);
  drain();
  outgoing.writableEnded = true;
  send("e", 5);
  expect(written).toHaveLength(3);
});

test("a client asks for a stream by what it accepts", () => {
  const accepts = (value: string | undefined) => wantsStream({ req: { header: () => value } } as never);
  expect(["text/event-stream", "text/html, Text/Event-Stream;q=0.9"].map(accepts)).toEqual([true, true]);
  expect([undefined, "application/json"].map(accepts)).toEqual([false, false]);
});
