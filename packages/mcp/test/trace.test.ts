import { tracingChannel } from "node:diagnostics_channel";
import { mcpChannelName, type McpTrace } from "@toolmount/core/tracing";
import { expect, onTestFinished, test } from "vitest";
import { traceConnections } from "../src/wire/trace.ts";

/** A connection whose messages are handed over by hand; what ends is noted as its id and failure. */
async function connection() {
  const ended: (readonly [string, string | undefined])[] = [];
  const note = (message: unknown) => {
    const { requestId, failure } = message as McpTrace;
    ended.push([requestId, failure?.code]);
  };
  const { asyncEnd } = tracingChannel(mcpChannelName);
  asyncEnd.subscribe(note);
  onTestFinished(() => asyncEnd.unsubscribe(note));
  const wire = {
    send: async (_message: object): Promise<void> => {},
    onmessage: (_message: object): void => {},
    onclose: (): void => {},
  };
  const peer = { connect: async (_wire: typeof wire): Promise<void> => {} };
  traceConnections(peer, { hostId: "h", role: "server", transport: "tcp" });
  await peer.connect(wire);
  return { wire, ended };
}

const request = (id: number) => ({ jsonrpc: "2.0", id, method: "tools/list" });

test("a client that uses one id for many requests leaves none of them open", async () => {
  const { wire, ended } = await connection();
  for (let count = 0; count < 1_000; count++) wire.onmessage(request(1));
  expect(ended).toEqual(Array.from({ length: 999 }, () => ["1", "id_reused"]));

  await wire.send({ jsonrpc: "2.0", id: 1, result: {} });
  await wire.send({ jsonrpc: "2.0", id: 1, result: {} });
  expect(ended.slice(999)).toEqual([["1", undefined]]);
});

test("requests that are open when the connection ends, end with it", async () => {
  const { wire, ended } = await connection();
  wire.onmessage(request(1));
  await wire.send(request(2));
  wire.onclose();

  // What this side has sent ends first.
  expect(ended).toEqual([
    ["2", "closed"],
    ["1", "closed"],
  ]);
});
