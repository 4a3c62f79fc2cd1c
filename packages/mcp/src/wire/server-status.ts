/** How a mounted server stands. */
export interface ServerStatus {
  /** The entry's name for it. */
  readonly name: string;
  /**
   * `asleep`: not asked for yet. `connecting`, `connected`. `down`: the connection ended or could not be made; the next call
   * tries again. `needs_auth`: a person has to sign in. `closed`: its host is done with it.
   */
  readonly state: "asleep" | "connecting" | "connected" | "down" | "needs_auth" | "closed";
  /** Why it is down. */
  readonly cause?: string;
  /** The revision of the protocol that was agreed on. */
  readonly protocol?: string;
  /** When the server was last asked which revision it speaks, as an ISO time; it is asked again an hour later. */
  readonly protocolAt?: string;
  /** The server's own name and version. */
  readonly server?: string;
  readonly pid?: number;
  /** Connections made so far. */
  readonly connections: number;
  /** The users who have a connection of their own, where the entry has `instance: user`. */
  readonly users?: readonly {
    readonly user: string;
    readonly state: ServerStatus["state"];
    readonly cause?: string;
  }[];
  /** What was not taken as the server says it, in a sentence each: what was left out, or taken for something else. */
  readonly oddities?: readonly string[];
  /** Tools that were left out, and why. */
  readonly refused: readonly { readonly tool: string; readonly problem: string }[];
}
