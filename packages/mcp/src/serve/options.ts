import type { ToolOutcome } from "@toolmount/core";

/** How a call that waits for a person is answered. */
export interface ServedApprovals {
  /**
   * Returns the address where a person decides, for clients that can open one. It must hold no credential, because the person
   * who opens it has to be known there already.
   */
  readonly url?: ((outcome: ToolOutcome) => string) | undefined;
  /** Whether the client's user may decide in a form that the client draws. Default false: another person approves. */
  readonly elicitation?: boolean | undefined;
  /** Whether the call is kept open until a person decides it elsewhere. Default false: the answer is `pending`. */
  readonly wait?: boolean | undefined;
  /** Longest time that a call is kept open for a decision, in milliseconds. Default 300000. */
  readonly waitMs?: number | undefined;
}

/** Options for serving a host, over HTTP or a pair of streams. */
export interface ServeOptions {
  /** The server's name to clients. Default `toolmount`. */
  readonly name?: string | undefined;
  /** The server's version. Default: 12 digits of the digest of the tools that it offers, the same at every server of a plan. */
  readonly version?: string | undefined;
  /** Text for the client's model. Default: the guidance of the tools; null for none. */
  readonly instructions?: string | null | undefined;
  /** The user on whose behalf the calls are made. */
  readonly userId?: string | undefined;
  /** Number of tools on one page of `tools/list`. Default 1000. */
  readonly pageSize?: number | undefined;
  readonly approvals?: ServedApprovals | undefined;
}
