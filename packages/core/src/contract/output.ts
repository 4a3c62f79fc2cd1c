/** Which page of a truncated output is read. */
export interface OutputPageRequest {
  /** Where it begins, in characters; default 0. */
  readonly offset?: number | undefined;
  /** Its most characters; default 65536. */
  readonly limit?: number | undefined;
  /** The user who reads: an output of a call of another user, or of none, is not found. Default: every caller may read. */
  readonly userId?: string | undefined;
}

/** One page of a truncated output. */
export interface OutputPage {
  readonly text: string;
  /** Where the page begins, in characters. */
  readonly offset: number;
  /** Length of the whole, in characters. */
  readonly total: number;
  /** Where the next page begins; absent on the last. */
  readonly nextOffset?: number;
}
