declare const isOwn: unique symbol;

/** A session's user and name as one text. What a session has is kept by it, and only `ownSession` makes it. */
export type SessionId = string & { readonly [isOwn]: true };
