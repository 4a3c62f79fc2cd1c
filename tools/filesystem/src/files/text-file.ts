/** The encoding of a text file; an edit keeps it. */
interface Encoding {
  readonly name: "utf-8" | "utf-16le" | "utf-16be" | "latin1";
  readonly hasMark: boolean;
}

export interface Text {
  readonly text: string;
  readonly encoding: Encoding;
}

type Unicode = Exclude<Encoding["name"], "latin1">;

const marks: readonly (readonly [Unicode, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * Reads bytes as text: by their byte order mark, else as UTF-8, else as Latin-1. Null if they are no text, because they contain
 * a NUL or do not fit their mark.
 */
export function decodeText(bytes: Buffer): Text | null {
  const mark = marks.find(([, start]) => start.every((byte, at) => bytes[at] === byte));
  if (mark !== undefined) return strictly(mark[0], true, bytes.subarray(mark[1].length));
  if (bytes.includes(0)) return null;
  return (
    strictly("utf-8", false, bytes) ?? {
      text: bytes.toString("latin1"),
      encoding: { name: "latin1", hasMark: false },
    }
  );
}

function strictly(name: Unicode, hasMark: boolean, bytes: Buffer): Text | null {
  try {
    const text = new TextDecoder(name, { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes("\0") ? null : { text, encoding: { name, hasMark } };
  } catch {
    return null;
  }
}

/** Returns a text as bytes; null if the encoding lacks one of its characters. */
export function encodeText(text: string, { name, hasMark }: Encoding): Buffer | null {
  const body = encodeBody(text, name);
  if (body === null || !hasMark) return body;
  const mark = marks.find(([each]) => each === name)?.[1] ?? [];
  return Buffer.concat([Buffer.from(mark), body]);
}

function encodeBody(text: string, name: Encoding["name"]): Buffer | null {
  if (name === "latin1") {
    const bytes = Buffer.from(text, "latin1");
    return bytes.toString("latin1") === text ? bytes : null;
  }
  if (!text.isWellFormed()) return null;
  if (name === "utf-8") return Buffer.from(text, "utf8");
  const bytes = Buffer.from(text, "utf16le");
  return name === "utf-16le" ? bytes : bytes.swap16();
}

/** Whether a text has line ends, and all of them are CRLF. */
export function hasOnlyCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(?<!\r)\n/.test(text);
}
