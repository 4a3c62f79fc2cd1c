// The question card and the story as elements for the page of a product. This file has their types; `dist/elements.js` is one
// file for browsers, which the build makes of `ui/elements.tsx`.

/** Where the elements of a document read and answer. */
export interface Connection {
  /**
   * The address below which the server's `/api/v1` is. A path of the page's own origin, such as `/toolmount`, where that
   * server passes requests on and adds the token of its user: then the browser never has a token.
   */
  readonly server: string;
  /** A token of the server, or what gets one: it is asked again when the server refuses the last one. */
  readonly token?: string | (() => Promise<string>);
  /** The host, where the server has several. */
  readonly host?: string;
  /** The address of the server's own page, to which links lead; without it, that of the server. */
  readonly page?: string;
}

/** What `<toolmount-question>` says when its question was answered, here or elsewhere: `toolmount-answered`, which bubbles. */
export type AnsweredEvent = CustomEvent<{
  readonly id: string;
  readonly runId: string;
  readonly sessionId: string | null;
  /** Null when the question ended without an answer. */
  readonly decision: "approve" | "deny" | null;
}>;

/**
 * Connects the elements of this document to a server. A later call replaces the connection. Returns what ends it; elements
 * show nothing without one.
 */
export declare function connectToolmount(connection: Connection): () => void;
