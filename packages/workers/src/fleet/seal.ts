import { createHmac, timingSafeEqual } from "node:crypto";
import type { FleetCall, Json } from "@toolmount/core";

/** What a row of the ledger is about: a signature counts only for the same. */
type Subject = readonly [kind: "job" | "answer" | "to host" | "to worker", ...facts: readonly Json[]];

/**
 * Signs what hosts and workers write into the ledger, and checks it where it is read: who can write to the database, but
 * does not have the fleet's key, makes no worker run a tool. Without a key, everything is passed on as it is.
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

/** Who has no key reads what is signed, too: so a host that lacks the key learns why its call was refused. */
function unsealed(given: Json): Json {
  const { value, signature } = Object(given) as Partial<Sealed>;
  return typeof signature === "string" && value !== undefined ? value : given;
}

interface Sealed {
  readonly value: Json;
  readonly signature: string;
}

/** What was read has no signature of the fleet's key. */
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
