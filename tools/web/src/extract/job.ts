/** A document for the reading process. */
export interface ReadJob {
  readonly kind: "html" | "pdf";
  /** For HTML: the decoded page. */
  readonly source: string;
  /** For PDF: the file. */
  readonly bytes: Uint8Array;
  readonly url: string;
  /** Whether the page keeps its layout. Without layout, HTML becomes its bare text. */
  readonly layout: boolean;
}

/** What the reading process answers. `unreadable` is a broken document; it says so in `text`. */
export interface ReadAnswer {
  readonly status: "read" | "unreadable";
  readonly text: string;
  readonly warnings: readonly string[];
}

/** What the reading process is allowed to use. */
export interface ReadLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}
