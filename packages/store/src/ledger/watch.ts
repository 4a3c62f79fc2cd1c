import { setTimeout } from "node:timers/promises";
import type { FleetEvent } from "@toolmount/core";
import type { Client } from "pg";
import { readEnd } from "./read-end.ts";

/** Milliseconds before a lost connection is opened again. */
const reconnectMs = 200;

/** Listens for the ledger's notifications to a host or worker. Reconnects until the returned function is called. */
export async function watchLedger(
  url: string,
  name: string,
  listener: (event: FleetEvent) => void,
): Promise<() => Promise<void>> {
  const closing = new AbortController();
  let client = await listen(url, name, listener);
  const keep = async () => {
    while (!closing.signal.aborted) {
      await client.ended;
      if (closing.signal.aborted) return;
      // The ledger is also polled, so nothing is missed while there is no connection.
      await setTimeout(reconnectMs, undefined, { signal: closing.signal }).catch(() => undefined);
      client = await listen(url, name, listener).catch(() => client);
    }
  };
  const keeping = keep();
  return async () => {
    closing.abort();
    await client.connection.end().catch(() => undefined);
    await keeping;
  };
}

interface Listening {
  readonly connection: Client;
  /** Resolves when the connection is lost or closed. */
  readonly ended: Promise<void>;
}

async function listen(url: string, name: string, listener: (event: FleetEvent) => void): Promise<Listening> {
  const { Client: PostgresClient } = await import("pg");
  const connection = new PostgresClient({
    connectionString: url,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  const ended = new Promise<void>((resolve) => connection.once("end", resolve));
  // The event `end` follows, and resolves `ended`.
  connection.on("error", () => undefined);
  connection.on("notification", ({ payload = "" }) => {
    const event = readEvent(payload);
    if (event !== undefined) listener(event);
  });
  await connection.connect();
  await connection.query(`listen ${connection.escapeIdentifier(`toolmount_fleet_${name}`)}`);
  return { connection, ended };
}

/** Reads a notification, which is "kind runId" and, if it is short, the end of the call. */
function readEvent(payload: string): FleetEvent | undefined {
  const [, kind = "", runId = "", end] = /^(\S+) (\S+)(?: (.+))?$/s.exec(payload) ?? [];
  if (!isKind(kind)) return undefined;
  // Without a readable end, the host reads the row.
  return { kind, runId, end: end === undefined ? undefined : readEnd(end) };
}

function isKind(text: string): text is FleetEvent["kind"] {
  return text === "ended" || text === "cancelled" || text === "said";
}
