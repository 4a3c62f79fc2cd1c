import { isUtf8 } from "node:buffer";
import type { Meter } from "./meter.ts";

/** Maximum number of characters of one text that are decoded, on all levels together: twice as many as a session keeps of its results. */
const maxDecoded = 16_777_216;

/** Maximum number of levels of encoding that are decoded. Base64 of a hex form has two. */
const maxLevels = 2;

/** Cost of decoding one character: the number of characters that can be searched in the same time. */
const decodingCost = 128;

/**
 * Returns the texts that a text contains in base64, in hex or with URL escapes, up to two levels deep. Decodes a limited number of
 * characters, in linear time. `meter` counts this work for the call that has the text in its arguments.
 */
export function decodedOf(text: string, meter?: Meter): readonly string[] {
  const found = new Set<string>();
  let room = maxDecoded;
  let level = [text];
  for (let depth = 0; depth < maxLevels; depth++) {
    const next: string[] = [];
    for (const one of level) {
      const part = one.slice(0, room);
      meter?.spend(part.length * decodingCost);
      room -= part.length;
      for (const decoded of decodeOnce(part)) if (!found.has(decoded)) next.push(decoded);
    }
    for (const decoded of next) found.add(decoded);
    level = next;
  }
  return [...found];
}

/** Minimum number of characters of a text that is decoded. Shorter texts are ordinary words. */
const minEncoded = 8;

/** Matches characters of both base64 alphabets and of hex, also on several lines. */
const token = /[A-Za-z0-9+/_-]{8,}(?:\r?\n[A-Za-z0-9+/_-]+)*={0,2}/g;

/**
 * Matches a word of prose or a path: small letters after its first character. Hex forms of texts have digits; base64 forms have
 * capitals or digits, except for very few texts, which must be chosen on purpose.
 */
const plainWord = /^.[a-z/_-]*$/;

const escaped = /(?:%[0-9A-Fa-f]{2})+/g;

function decodeOnce(text: string): readonly string[] {
  const found: string[] = [];
  if (text.includes("%")) {
    const plain = text.replace(escaped, (bytes) => textOf(bytes.replaceAll("%", ""), "hex") ?? bytes);
    if (plain !== text) found.push(plain);
  }
  for (const match of text.match(token) ?? []) {
    const lines = match.split(/\r?\n/);
    // The next line may be an ordinary word, so each line is also decoded by itself.
    for (const encoded of lines.length === 1 ? lines : [lines.join(""), ...lines]) {
      if (encoded.length < minEncoded || plainWord.test(encoded)) continue;
      const decoded = decodeToken(encoded);
      if (decoded !== null) found.push(decoded);
    }
  }
  return found;
}

function decodeToken(encoded: string): string | null {
  const isHex = encoded.length % 2 === 0 && /^[0-9A-Fa-f]+$/.test(encoded);
  return (isHex ? textOf(encoded, "hex") : null) ?? textOf(encoded, "base64");
}

/** Decodes a text; null for bytes that are no readable text. Ordinary words are valid base64, too, of such bytes. */
function textOf(encoded: string, form: "hex" | "base64"): string | null {
  const bytes = Buffer.from(encoded, form);
  if (bytes.length === 0 || !isUtf8(bytes)) return null;
  const text = bytes.toString("utf8");
  return control.test(text) ? null : text;
}

const control = /(?!\s)\p{Cc}/u;
