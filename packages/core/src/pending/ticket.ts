import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** Returns a new unguessable name: 192 random bits. It never begins with a dash, which a command line reads as an option. */
export function randomName(): string {
  const name = randomBytes(24).toString("base64url");
  return name.startsWith("-") ? randomName() : name;
}

export function hashTicket(ticket: string): string {
  return createHash("sha256").update(ticket).digest("hex");
}

/** Encrypts a JSON value for the holder of the ticket (AES-256-GCM). A ticket is random, so its hash can be the key. */
export function encryptWithTicket(value: unknown, ticket: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(ticket), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
}

/** Decrypts a value; null when it was encrypted with another ticket, or changed. */
export function decryptWithTicket(encrypted: string, ticket: string): { readonly value: unknown } | null {
  const bytes = Buffer.from(encrypted, "base64");
  // Only the text that `encryptWithTicket` writes: base64 has unused bits in which a changed text could hide.
  if (bytes.length < 28 || bytes.toString("base64") !== encrypted) return null;
  const decipher = createDecipheriv("aes-256-gcm", keyOf(ticket), bytes.subarray(0, 12));
  decipher.setAuthTag(bytes.subarray(12, 28));
  try {
    const text = Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString("utf8");
    return { value: JSON.parse(text) as unknown };
  } catch {
    return null;
  }
}

function keyOf(ticket: string): Buffer {
  return createHash("sha256").update("toolmount:seal:").update(ticket).digest();
}
