import { createHmac, timingSafeEqual } from "node:crypto";
import type { FleetCall, Json } from "@toolmount/core";

/** What a row of the ledger is about: a signature counts only for the same. */
type Subject = readonly [kind: "job" | "answer" | "to host" | "to worker", ...facts: readonly Json[]];

/**
 * Signs what hosts and workers write into the ledger, and checks it where it is read. Without the fleet's key, write access
 * to the database is not enough to make a worker run a tool. Without a key for the fleet, values pass as they are.
 */
export interface Seal {
  close(subject: Subject, value: Json): Json;
  /** The value that was signed. Throws when it was not, or for another subject. The value must not be nested deeply. */
  open(subject: Subject, sealed: Json): Json;
}

/** Makes the seal of a fleet's key. */
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

/** Signed values are read without the key, too, so that a host that lacks it learns why its call was refused. */
function unsealed(given: Json): Json {
  const { value, signature } = Object(given) as Partial<Sealed>;
  return typeof signature === "string" && value !== undefined ? value : given;
}

interface Sealed {
  readonly value: Json;
  readonly signature: string;
}

/** The error of a value without a signature by the fleet's key. */
class Unsigned extends Error {
  override readonly name = "Unsigned";

  constructor() {
    super("it is not signed with the fleet's key");
  }
}

/** The subject of a call's job: a worker runs these arguments for this tool and this run only. */
export function jobSubject({
  runId,
  queue,
  tool,
  digest,
  idempotent,
}: Omit<FleetCall, "attempt" | "host" | "job">): Subject {
  return ["job", runId, queue, tool, digest, idempotent];
}
