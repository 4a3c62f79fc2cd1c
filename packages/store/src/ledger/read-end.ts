import type { FleetEnd } from "@toolmount/core";
import { readForeign } from "../read-row.ts";

/** Reads how a call ended; undefined for a text that no host and no worker writes. */
export function readEnd(text: string): FleetEnd | undefined {
  const end = readForeign(text) as FleetEnd | null;
  switch (end?.kind) {
    case "answered":
    case "withdrawn":
    case "lost":
      return end;
    case "stored":
      return { kind: "stored", bytes: Number(end.bytes) };
    case undefined:
    default:
      return undefined;
  }
}
