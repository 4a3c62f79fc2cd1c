import { createPrivateKey, sign, type KeyObject } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { AuditSink } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { canonicalJson } from "@toolmount/core/internal";
import { usageError } from "../process/usage-error.ts";

/** Reads a private key for signatures. Throws `USAGE_INVALID` for a file that is no Ed25519 key in PEM. */
export async function readSigningKey(file: string): Promise<KeyObject> {
  try {
    const key = createPrivateKey(await readFile(file, "utf8"));
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (error) {
    throw usageError(`--sign: ${file} cannot be read as a private key: ${messageOf(error)}`);
  }
  throw usageError(`--sign: ${file} is not an Ed25519 key; openssl genpkey -algorithm ed25519 makes one`);
}

/** A signature over the heads of all chains, as a line. Records up to these heads cannot change without being noticed. */
export async function signHeads(sink: AuditSink, key: KeyObject, at: number): Promise<string> {
  const stored = await sink.heads();
  const heads = stored
    .map(({ writer, sequence, hash }) => ({ writer, sequence, hash }))
    .toSorted((one, other) => (one.writer < other.writer ? -1 : 1));
  const signature = sign(null, Buffer.from(canonicalJson({ at, heads })), key).toString("base64");
  return JSON.stringify({ at, heads, signature });
}
