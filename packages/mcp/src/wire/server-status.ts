/** What the host knows about a mounted server now: its connections, and what could not be used of it. */
export interface ServerStatus {
  /** The id of the server's entry in the plan. */
  readonly name: string;
  /**
   * `asleep`: not needed yet. `connecting`, `connected`. `down`: the connection ended or could not be made; the next call tries
   * again. `needs_auth`: a person has to sign in. `closed`: the host has closed.
   */
  readonly state: "asleep" | "connecting" | "connected" | "down" | "needs_auth" | "closed";
  /** Why the last connection ended or could not be made; absent while the server is connected. */
  readonly cause?: string;
  /** The revision of the protocol that was agreed on. */
  readonly protocol?: string;
  /** When the server was last asked which revision it speaks, as an ISO time; it is asked again an hour later, or a week later if `way` is set. */
  readonly protocolAt?: string;
  /** How the server is connected to, if this took a timeout or a second attempt to find, and when it is tried again. */
  readonly way?: string;
  /** The server's own name and version. */
  readonly server?: string;
  readonly pid?: number;
  /** Number of connections that the host has made to the server so far. */
  readonly connections: number;
  /** The users who have their own connections, if the entry has `instance: user`. */
  readonly users?: readonly {
    readonly user: string;
    readonly state: ServerStatus["state"];
    readonly cause?: string;
  }[];
  /** Sentences about what could not be taken as the server wrote it: what was left out, or read as something else. */
  readonly oddities?: readonly string[];
  /** Tools that were left out, each with the reason. */
  readonly refused: readonly { readonly tool: string; readonly problem: string }[];
}
