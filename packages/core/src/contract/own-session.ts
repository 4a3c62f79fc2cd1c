declare const isOwn: unique symbol;

/** A session's user and name as one text. What a session has is kept by it, and only {@link ownSession} makes it. */
export type SessionId = string & { readonly [isOwn]: true };

/**
 * The session that a user calls by a name: `s1` of ana is `ana:s1`. Callers choose short names, so two users' sessions of
 * one name are two. A name that begins so already stays, and so does a name without a user. Undefined without a name.
 */
export function ownSession(userId: unknown, name: string): SessionId;
export function ownSession(userId: unknown, name: unknown): SessionId | undefined;
export function ownSession(userId: unknown, name: unknown): string | undefined {
  if (typeof name !== "string") return undefined;
  if (typeof userId !== "string") return name;
  const own = `${encoded(userId)}:`;
  return name.startsWith(own) ? name : own + name;
}

/** A user's id without a colon, and different for each. Half a surrogate pair has no percent code. */
function encoded(userId: string): string {
  if (userId.isWellFormed()) return encodeURIComponent(userId);
  return `%u${Buffer.from(userId, "utf16le").toString("hex")}`;
}
