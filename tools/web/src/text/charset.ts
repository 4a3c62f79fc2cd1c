// oxlint-disable-next-line typescript/triple-slash-reference -- compiling from these sources needs it
/// <reference path="./untyped.d.ts" />

import { isUtf8 } from "node:buffer";
import { MIMEType } from "node:util";
import htmlEncodingSniffer from "html-encoding-sniffer";

/** Those parts of a Content-Type header that are used. */
interface ContentType {
  /** The type without parameters, in lower case; empty if the header is absent or invalid. */
  readonly essence: string;
  readonly charset: string | undefined;
}

export function parseContentType(header: string): ContentType {
  try {
    const type = new MIMEType(header);
    return { essence: type.essence.toLowerCase(), charset: type.params.get("charset")?.replaceAll("'", "") };
  } catch {
    return { essence: "", charset: undefined };
  }
}

/**
 * Decodes a page like browsers do: by its byte order mark, else the server's charset, else the charset that the page states at
 * its start. Without these it is UTF-8 if valid; else the charset that the page states later counts, else windows-1252.
 */
export function decodeHtml(bytes: Buffer, charset: string | undefined, xml: boolean): string {
  const label = charset === undefined ? {} : { transportLayerEncodingLabel: charset };
  const defaultEncoding = isUtf8(bytes) ? "UTF-8" : (lateCharset(bytes) ?? "windows-1252");
  return decode(bytes, htmlEncodingSniffer(bytes, { xml, defaultEncoding, ...label }));
}

function lateCharset(bytes: Buffer): string | undefined {
  return /<meta\b[^<>]{0,200}\bcharset\s*=\s*["']?([\w:-]{2,40})/i.exec(
    bytes.toString("latin1", 0, 262_144),
  )?.[1];
}

/**
 * Decodes other text: by its byte order mark, else the server's charset, else the one that the text declares, as XML and CSS
 * can. If there is none, the text is UTF-8, or windows-1252 if it cannot be UTF-8.
 */
export function decodeText(bytes: Buffer, charset: string | undefined): string {
  return decode(
    bytes,
    markOf(bytes) ?? charset ?? declaredIn(bytes) ?? (isUtf8(bytes) ? "utf-8" : "windows-1252"),
  );
}

function markOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? "utf-8" : null;
}

/** Returns the encoding in an XML declaration or a CSS rule, or UTF-16 if the zero bytes show it. */
function declaredIn(bytes: Buffer): string | undefined {
  if (bytes[0] !== 0 && bytes[1] === 0 && bytes[3] === 0) return "utf-16le";
  if (bytes[0] === 0 && bytes[1] !== 0 && bytes[2] === 0) return "utf-16be";
  const start = bytes.toString("latin1", 0, 1024);
  const declared =
    /^\s*<\?xml\b[^>]*\bencoding\s*=\s*["']([\w:.-]+)["']/i.exec(start) ??
    /^@charset "([\w:.-]+)";/.exec(start);
  // A declaration that can be read byte by byte is not in UTF-16, whatever it says.
  return declared === null || /^utf-?16/i.test(declared[1]!) ? undefined : declared[1];
}

/** Decodes bytes. Invalid bytes become U+FFFD; with an unknown charset, the bytes are read as UTF-8. */
function decode(bytes: Buffer, encoding: string): string {
  try {
    return new TextDecoder(encoding).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}
