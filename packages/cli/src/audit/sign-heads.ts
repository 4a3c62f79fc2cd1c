import { createPrivateKey, sign, type KeyObject } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { checkAudit, type AuditSink } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { canonicalJson } from "@toolmount/core/json";
import { countOf } from "../screen/count.ts";
import { usageError } from "../process/usage-error.ts";

/** Throws if the audit was changed, because a signature over it would make the change look right. */
export async function requireWhole(sink: AuditSink): Promise<void> {
  const problems = checkAudit(await sink.read(), await sink.heads());
  if (problems.length > 0)
    throw usageError(
      `the audit has ${countOf(problems, "problem")}, and is not signed; toolmount audit --check shows them`,
    );
}

/**
 * Reads a private key for signatures. Throws `USAGE_INVALID` for a file that is not an Ed25519 key in PEM, and for one that
 * other users may read.
 */
export async function readSigningKey(file: string): Promise<KeyObject> {
  try {
    const text = await readFile(file, "utf8");
    await refuseSharedKey(file);
    const key = createPrivateKey(text);
    if (key.asymmetricKeyType === "ed25519") return key;
  } catch (error) {
    throw usageError(`${file} cannot be read as a private key: ${messageOf(error)}`);
  }
  throw usageError(`${file} is not an Ed25519 key; openssl genpkey -algorithm ed25519 makes one`);
}

/** Throws for a key that other users may read, because they could sign a changed audit. Windows has no such modes. */
async function refuseSharedKey(file: string): Promise<void> {
  const { mode } = await stat(file);
  if (process.platform !== "win32" && (mode & 0o077) !== 0)
    throw new Error(`other users of this machine may read it; chmod 600 ${file}`);
}

/**
 * Returns a line with a signature over the newest record (head) of each chain. Records up to these heads can then not change
 * unnoticed.
 */
export async function signHeads(sink: AuditSink, key: KeyObject, at: number): Promise<string> {
  const stored = await sink.heads();
  const heads = stored
    .map(({ writer, sequence, hash }) => ({ writer, sequence, hash }))
    .toSorted((one, other) => (one.writer < other.writer ? -1 : 1));
  const signature = sign(null, Buffer.from(canonicalJson({ at, heads })), key).toString("base64");
  return JSON.stringify({ at, heads, signature });
}
