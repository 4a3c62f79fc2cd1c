/** Selects the page of a truncated output that is read. */
export interface OutputPageRequest {
  /** Where the page begins, in characters; default 0. */
  readonly offset?: number | undefined;
  /** Maximum length of the page, in characters; default 65536. */
  readonly limit?: number | undefined;
  /** The user who reads. Only outputs of that user's calls are found then. Default: every output can be read. */
  readonly userId?: string | undefined;
}

/** One page of a truncated output. */
export interface OutputPage {
  readonly text: string;
  /** Where the page begins, in characters. */
  readonly offset: number;
  /** Length of the kept output, in characters. */
  readonly total: number;
  /** Where the next page begins; absent on the last page. */
  readonly nextOffset?: number;
}
