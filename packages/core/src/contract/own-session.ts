declare const isOwn: unique symbol;

/** A user and a session name as one text, under which everything of the session is kept. Only `ownSession` makes it. */
export type SessionId = string & { readonly [isOwn]: true };
