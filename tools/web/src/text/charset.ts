// oxlint-disable-next-line typescript/triple-slash-reference -- compiling from these sources needs it
/// <reference path="./untyped.d.ts" />

import { MIMEType } from "node:util";
import htmlEncodingSniffer from "html-encoding-sniffer";

/** A parsed Content-Type. */
interface ContentType {
  /** Without parameters, in lower case; empty when absent. */
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

/** Decodes a page as browsers do: by its byte order mark, otherwise the server's charset, otherwise the page's own. */
export function decodeHtml(bytes: Buffer, charset: string | undefined, xml: boolean): string {
  const label = charset === undefined ? {} : { transportLayerEncodingLabel: charset };
  const defaultEncoding = looksLikeUtf8(bytes) ? "UTF-8" : "windows-1252";
  return decode(bytes, htmlEncodingSniffer(bytes, { xml, defaultEncoding, ...label }));
}

/** Decodes plain text: by its byte order mark, otherwise the server's charset, otherwise UTF-8. */
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

/** Invalid bytes become U+FFFD; an unknown charset is read as UTF-8. */
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
