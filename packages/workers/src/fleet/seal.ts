import { createHmac, timingSafeEqual } from "node:crypto";
import type { FleetCall, Json } from "@toolmount/core";

/** What a row of the ledger is about; a signature counts only for the same subject. */
type Subject = readonly [kind: "job" | "answer" | "to host" | "to worker", ...facts: readonly Json[]];

/**
 * Signs what hosts and workers write into the ledger, and checks it where it is read, so that write access to the database is
 * not enough to make a worker run a tool. If the fleet has no key, values are passed on unchanged.
 */
export interface Seal {
  close(subject: Subject, value: Json): Json;
  /** Returns the signed value. Throws if it is not signed, or for another subject. The value must not be nested deeply. */
  open(subject: Subject, sealed: Json): Json;
}

/** Makes the seal for a fleet's key. Without a key, it signs nothing and checks nothing, but still reads signed values. */
export function createSeal(key: string | undefined): Seal {
  if (key === undefined) return { close: (_, value) => value, open: (_, value) => unsealed(value) };
  // JSON.parse and JSON.stringify keep the order of members, so a value has the same text on both sides.
  const sign = (subject: Subject, value: Json) =>
    createHmac("sha256", key)
      .update(JSON.stringify([subject, value]))
      .digest();
  return {
    close: (subject, value) => ({ value, signature: sign(subject, value).toString("base64url") }),
    open(subject, sealed) {
      const { value, signature } = Object(sealed) as Partial<Sealed>;
      const given = Buffer.from(String(signature), "base64url");
      const wanted = sign(subject, value ?? null);
      if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw new Unsigned();
      return value ?? null;
    },
  };
}

/** Reads signed values also without the key, so that a host that lacks the key learns why its call was refused. */
function unsealed(given: Json): Json {
  const { value, signature } = Object(given) as Partial<Sealed>;
  return typeof signature === "string" && value !== undefined ? value : given;
}

interface Sealed {
  readonly value: Json;
  readonly signature: string;
}

/** The error for a value that is not signed with the fleet's key. */
class Unsigned extends Error {
  override readonly name = "Unsigned";

  constructor() {
    super("it is not signed with the fleet's key");
  }
}

/** Returns the subject of a call's job, so that a worker runs these arguments only for this tool and this run. */
export function jobSubject({
  runId,
  queue,
  tool,
  digest,
  idempotent,
}: Omit<FleetCall, "attempt" | "host" | "job">): Subject {
  return ["job", runId, queue, tool, digest, idempotent];
}
