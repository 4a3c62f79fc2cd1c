import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  createHash,
  randomBytes,
  type ECDH,
} from "node:crypto";

/** Returns a new name of 192 random bits. It never begins with a dash, which a command line would read as an option. */
export function randomName(): string {
  const name = randomBytes(24).toString("base64url");
  return name.startsWith("-") ? randomName() : name;
}

export function hashTicket(ticket: string): string {
  return createHash("sha256").update(ticket).digest("hex");
}

/** Encrypts a JSON value for the holder of the ticket (AES-256-GCM). A ticket is random, so its hash can be the key. */
export function encryptWithTicket(value: unknown, ticket: string): string {
  return encrypt(value, keyOf(ticket));
}

/** Returns the public key of a ticket, with which a host encrypts for the ticket's holder without knowing the ticket. */
export function publicKeyOf(ticket: string): string {
  return pairOf(ticket).getPublicKey("base64", "compressed");
}

/** Encrypts a JSON value for the holder of the ticket that has this public key (P-256, then AES-256-GCM). */
export function encryptForHolder(value: unknown, publicKey: string): string {
  const own = createECDH(curve);
  const sender = own.generateKeys("base64", "compressed");
  return `${sender}.${encrypt(value, sharedKey(own, publicKey, sender)!)}`;
}

function encrypt(value: unknown, key: Buffer): string {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const text = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), text]).toString("base64");
}

/** Decrypts a value. Null if it was encrypted with another ticket, or changed. */
export function decryptWithTicket(encrypted: string, ticket: string): { readonly value: unknown } | null {
  const dot = encrypted.indexOf(".");
  if (dot === -1) return decrypt(encrypted, keyOf(ticket));
  const sender = encrypted.slice(0, dot);
  const key = sharedKey(pairOf(ticket), sender, sender);
  return key && decrypt(encrypted.slice(dot + 1), key);
}

function decrypt(encrypted: string, key: Buffer): { readonly value: unknown } | null {
  const bytes = Buffer.from(encrypted, "base64");
  // Only text exactly as `encrypt` writes it is accepted, because base64 has unused bits, in which a changed text could hide.
  if (bytes.length < 28 || bytes.toString("base64") !== encrypted) return null;
  const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12));
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

const curve = "prime256v1";
const order = Buffer.from("ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", "hex");

/** Returns the key pair of a ticket. One hash in 4 billion is not a valid private key, and is hashed again. */
function pairOf(ticket: string): ECDH {
  let secret = keyOf(ticket);
  while (secret.compare(order) >= 0) secret = createHash("sha256").update(secret).digest();
  const pair = createECDH(curve);
  pair.setPrivateKey(secret);
  return pair;
}

/** Returns the key that the sender of a text and the holder of a ticket share; null if `other` is not a valid public key. */
function sharedKey(own: ECDH, other: string, sender: string): Buffer | null {
  try {
    const secret = own.computeSecret(other, "base64");
    return createHash("sha256").update("toolmount:holder:").update(sender).update(secret).digest();
  } catch {
    return null; // not a point of the curve
  }
}
