import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** What was done outside of the host. */
export interface Trace {
  readonly kind: "network" | "process";
  readonly what: string;
}

/** Node's own channels, and what a message on each means. */
const channels: readonly { readonly name: string; readonly kind: Trace["kind"]; readonly what: string }[] = [
  { name: "net.client.socket", kind: "network", what: "opened a connection" },
  { name: "net.server.listen:asyncStart", kind: "network", what: "opened a server" },
  { name: "udp.socket", kind: "network", what: "opened a datagram socket" },
  { name: "undici:request:create", kind: "network", what: "fetched from the network" },
  { name: "http.client.request.start", kind: "network", what: "made an HTTP request" },
  { name: "child_process", kind: "process", what: "started a process" },
];

/** Runs work, and tells which connections and processes were begun meanwhile. */
export async function traceWork<Value>(
  work: () => Promise<Value>,
): Promise<{ value: Value; traces: readonly Trace[] }> {
  const traces: Trace[] = [];
  const listeners = channels.map(({ name, kind, what }) => {
    const listener = () => void traces.push({ kind, what });
    subscribe(name, listener);
    return { name, listener };
  });
  try {
    return { value: await work(), traces };
  } finally {
    for (const { name, listener } of listeners) unsubscribe(name, listener);
  }
}
