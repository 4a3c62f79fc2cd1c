import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";

/** A new unguessable name: 192 random bits. None begins with a dash, which a command line takes for an option. */
export function randomName(): string {
  const name = randomBytes(24).toString("base64url");
  return name.startsWith("-") ? randomName() : name;
}

/** What a store keeps of a ticket. */
export function hashTicket(ticket: string): string {
  return createHash("sha256").update(ticket).digest("hex");
}

/**
 * Seals a JSON value, so that only who has the ticket can read it or make another (AES-256-GCM). A ticket is random,
 * so a hash of it is a key.
 */
export function seal(value: unknown, ticket: string): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", keyOf(ticket), nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
}

/** The sealed value; null when it was sealed with another ticket, or changed. */
export function unseal(sealed: string, ticket: string): { readonly value: unknown } | null {
  const bytes = Buffer.from(sealed, "base64");
  // Only the one text that `seal` writes: base64 has spare bits in which a changed text could hide.
  if (bytes.length < 28 || bytes.toString("base64") !== sealed) return null;
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
