import { channel, tracingChannel } from "node:diagnostics_channel";
import {
  beginMcp,
  endMcp,
  mcpChannelName,
  mcpSessionChannelName,
  publishMcpSession,
  tracesMcp,
} from "@toolmount/core/tracing";
import { expect, onTestFinished, test } from "vitest";

const request = () => ({
  hostId: "h",
  transport: "pipe" as const,
  side: "client" as const,
  method: "tools/call",
  requestId: "1",
  traceparent: undefined,
});

/** Each moment of a request that a listener heard. */
function listening() {
  const heard: string[] = [];
  const moments = ["start", "end", "error", "asyncStart", "asyncEnd"] as const;
  const listeners = Object.fromEntries(
    moments.map((moment) => [
      moment,
      (message: unknown) => heard.push(`${moment} ${(message as { requestId: string }).requestId}`),
    ]),
  ) as unknown as Parameters<ReturnType<typeof tracingChannel>["subscribe"]>[0];
  tracingChannel(mcpChannelName).subscribe(listeners);
  onTestFinished(() => tracingChannel(mcpChannelName).unsubscribe(listeners));
  return heard;
}

test("a request is published with each of its moments, and an error only where it failed", () => {
  expect(tracesMcp()).toBe(false);
  const heard = listening();
  expect(tracesMcp()).toBe(true);
  expect(beginMcp(request(), () => "sent")).toBe("sent");
  endMcp(request());
  expect(heard.splice(0)).toEqual(["start 1", "end 1", "asyncStart 1", "asyncEnd 1"]);
  expect(() =>
    beginMcp(request(), () => {
      throw new Error("no pipe");
    }),
  ).toThrow("no pipe");
  endMcp({ ...request(), failure: { code: "C", message: "m" } });
  expect(heard).toEqual(["start 1", "end 1", "error 1", "asyncStart 1", "asyncEnd 1"]);
});

test("a session is published once, where anything listens", () => {
  const heard: unknown[] = [];
  const listener = (message: unknown) => void heard.push(message);
  const session = { hostId: "h", transport: "tcp" as const, role: "server" as const };
  publishMcpSession(session);
  channel(mcpSessionChannelName).subscribe(listener);
  onTestFinished(() => channel(mcpSessionChannelName).unsubscribe(listener));
  publishMcpSession(session);

  expect(heard).toEqual([session]);
});
