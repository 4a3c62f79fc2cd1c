import { tracingChannel } from "node:diagnostics_channel";
import { expect, onTestFinished, test } from "vitest";
import { createHost, type Logger } from "../../src/index.ts";
import {
  modelChannelName,
  traceFields,
  traceModel,
  traceTurn,
  turnChannelName,
  type ModelTrace,
  type TurnTrace,
} from "@toolmount/core/tracing";
import { tool } from "../world.ts";

const turn = (): TurnTrace => ({
  hostId: "h",
  sessionId: "s",
  turnId: "t",
  model: "m",
  server: "127.0.0.1:1",
  agent: null,
  depth: 0,
  resumed: false,
  traceparent: undefined,
});

test("a turn is published like an asynchronous function, as one object, and sees the changes of a listener", async () => {
  const heard: string[] = [];
  const handlers = {
    start: (message: unknown) => void ((message as TurnTrace).traceparent = "set"),
    end: () => void heard.push("end"),
    asyncStart: () => void heard.push("asyncStart"),
    asyncEnd: (message: unknown) => void heard.push(`asyncEnd ${(message as TurnTrace).status}`),
    error: () => void heard.push("error"),
  };
  const channel = tracingChannel<unknown, TurnTrace>(turnChannelName);
  channel.subscribe(handlers);
  onTestFinished(() => channel.unsubscribe(handlers));
  const message = turn();

  const value = await traceTurn(message, async () => {
    heard.push(`runs under ${message.traceparent}`);
    await Promise.resolve();
    message.status = "done";
    return 7;
  });
  await expect(
    traceTurn(message, async () => {
      message.failure = { code: "DENIED", message: "no" };
      throw new Error("no");
    }),
  ).rejects.toThrow("no");

  expect(value).toBe(7);
  expect(heard).toEqual([
    "runs under set",
    "end",
    "asyncStart",
    "asyncEnd done",
    "end",
    "error",
    "asyncStart",
    "asyncEnd done",
  ]);
});

test("without listeners, a request is made as if there were no channel", async () => {
  const message: ModelTrace = { ...turn(), stream: false, attempt: 1 };
  const made = Promise.resolve(1);

  expect(tracingChannel(modelChannelName).hasSubscribers).toBe(false);
  expect(traceModel(message, () => made)).toBe(made);
});

test("a call's log has the ids of its run, session, turn and span", async () => {
  const bound: object[] = [];
  const lines: object[] = [];
  const ignore = () => {};
  const logger: Logger = {
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: ignore,
    error: (fields) => void lines.push(fields),
    child: (bindings) => (bound.push(bindings), logger),
  };
  const host = createHost({ logger });
  host.coordinator.mount(
    "tools",
    tool((_, context) => {
      context.logger.info({}, "here");
      throw new Error("boom");
    }),
  );
  const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
  const { runId } = await host.call({ id: "c", name: "probe" }, { sessionId: "s", turnId: "t", traceparent });
  await host.call({ name: "probe" }, { traceparent: "junk" });

  const ids = {
    tool: "probe",
    run_id: runId,
    call_id: "c",
    session_id: "s",
    turn_id: "t",
    trace_id: "ab".repeat(16),
    span_id: "cd".repeat(8),
    trace_flags: "01",
  };
  expect(bound).toContainEqual(ids);
  expect(lines[0]).toMatchObject(ids);
  expect(lines[1]).not.toHaveProperty("trace_id");
  expect(traceFields(undefined)).toEqual({});
  await host.close();
});
