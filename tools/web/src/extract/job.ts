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
  /** Whether HTML is read with what stands around its main part. */
  readonly whole: boolean;
}

/** What the reading process answers. `unreadable` is a broken document; it says so in `text`. */
export interface ReadAnswer extends LaidOutPage {
  readonly status: "read" | "unreadable";
}

/** What the reading process is allowed to use. */
export interface ReadLimits {
  readonly timeoutMs: number;
  readonly memoryMb: number;
}
