import type { LaidOutPage } from "../page/page.ts";

/** A document for the reading process. */
export interface ReadJob {
  readonly kind: "html" | "xhtml" | "pdf";
  /** For HTML: the decoded page. */
  readonly source: string;
  /** For PDF: the file. */
  readonly bytes: Uint8Array;
  readonly url: string;
  /** Whether the page keeps its layout. Without layout, HTML becomes its bare text. */
  readonly layout: boolean;
  /** Whether HTML is read with the parts around its main part. */
  readonly whole: boolean;
}

/** The answer of the reading process. `unreadable` means that the document is broken; `text` says how. */
export interface ReadAnswer extends LaidOutPage {
  readonly status: "read" | "unreadable";
}

/** Limits for the reading process. */
export interface ReadLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}
