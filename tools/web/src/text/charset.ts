// oxlint-disable-next-line typescript/triple-slash-reference -- whoever compiles from these sources needs it too
/// <reference path="./untyped.d.ts" />

import { MIMEType } from "node:util";
import htmlEncodingSniffer from "html-encoding-sniffer";

/** What a Content-Type says. */
export interface ContentType {
  /** Without parameters, in lower case; empty when there is none. */
  readonly essence: string;
  readonly charset: string | undefined;
}

export function parseContentType(header: string): ContentType {
  try {
    const type = new MIMEType(header);
    return { essence: type.essence.toLowerCase(), charset: type.params.get("charset") ?? undefined };
  } catch {
    return { essence: "", charset: undefined };
  }
}

/** Decodes a page as browsers do: a byte order mark, else what the server says, else what the page says of itself. */
export function decodeHtml(bytes: Buffer, charset: string | undefined, xml: boolean): string {
  const label = charset === undefined ? {} : { transportLayerEncodingLabel: charset };
  const defaultEncoding = looksLikeUtf8(bytes) ? "UTF-8" : "windows-1252";
  return decode(bytes, htmlEncodingSniffer(bytes, { xml, defaultEncoding, ...label }));
}

/** Decodes a plain text: a byte order mark, else what the server says, else UTF-8. */
export function decodeText(bytes: Buffer, charset: string | undefined): string {
  const mark =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : null;
  const isMarked = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return decode(bytes, mark ?? (isMarked ? "utf-8" : (charset ?? "utf-8")));
}

/** Bytes that mean nothing become U+FFFD; a charset that is not known is taken for UTF-8. */
function decode(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function looksLikeUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
