// Types of the custom elements with which the page of a product shows the question card and the story. The build makes their
// code, `dist/elements.js`, a single file for browsers, from `ui/elements.tsx`.

/** How the elements of a document reach a toolmount server. */
export interface Connection {
  /**
   * The address below which the server has `/api/v1`. It may be a path of the page's own origin, such as `/toolmount`, if the
   * server of this page passes requests on and adds its user's token. Then the browser never has a token.
   */
  readonly server: string;
  /** A token of the server, or a function that gets one. The function is called again when the server refuses the last token. */
  readonly token?: string | (() => Promise<string>);
  /** The name of the host, if the server has several. */
  readonly host?: string;
  /** The address of the toolmount page to which links lead; by default `server` itself. */
  readonly page?: string;
}

/** The event `toolmount-answered` of `<toolmount-question>`: its question was answered, here or elsewhere. It bubbles. */
export type AnsweredEvent = CustomEvent<{
  readonly id: string;
  readonly runId: string;
  readonly sessionId: string | null;
  /** The answer; null if the question ended without one. */
  readonly decision: "approve" | "deny" | null;
}>;

/**
 * Connects the elements of this document to a server, in place of an earlier connection. Returns a function that ends the
 * connection. Elements without a connection show nothing.
 */
export declare function connectToolmount(connection: Connection): () => void;
