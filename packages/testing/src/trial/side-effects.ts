import { subscribe, unsubscribe } from "node:diagnostics_channel";

/** A connection, server or process that a module started. */
export interface SideEffect {
  readonly kind: "network" | "process";
  readonly what: string;
}

/** Node's diagnostics channels, and the meaning of a message on each. */
const channels: readonly {
  readonly name: string;
  readonly kind: SideEffect["kind"];
  readonly what: string;
}[] = [
  { name: "net.client.socket", kind: "network", what: "opened a connection" },
  { name: "net.server.listen:asyncStart", kind: "network", what: "opened a server" },
  { name: "udp.socket", kind: "network", what: "opened a datagram socket" },
  { name: "undici:request:create", kind: "network", what: "fetched from the network" },
  { name: "http.client.request.start", kind: "network", what: "made an HTTP request" },
  { name: "child_process", kind: "process", what: "started a process" },
];

/** Runs work, and lists the connections, servers and processes that are started meanwhile. */
export async function watchSideEffects<Value>(
  work: () => Promise<Value>,
): Promise<{ value: Value; sideEffects: readonly SideEffect[] }> {
  const sideEffects: SideEffect[] = [];
  const listeners = channels.map(({ name, kind, what }) => {
    const listener = () => void sideEffects.push({ kind, what });
    subscribe(name, listener);
    return { name, listener };
  });
  try {
    return { value: await work(), sideEffects };
  } finally {
    for (const { name, listener } of listeners) unsubscribe(name, listener);
  }
}
