/** The size of an image, from its header. */
interface Header {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns why no server reads an image: it is incomplete, has no pixels, or has a side of more than `maxSide` pixels. Null if it
 * may be readable, and for unknown types.
 */
export function imageProblem(data: string, mediaType: string, maxSide: number): string | null {
  const reader = readers[mediaType];
  if (reader === undefined) return null;
  const bytes = Buffer.from(data, "base64");
  const header = reader.isWhole(bytes) ? reader.header(bytes) : null;
  if (header === null) return "an image that is not whole";
  const { width, height } = header;
  if (width === 0 || height === 0) return "an image without pixels";
  return Math.max(width, height) > maxSide
    ? `an image of ${width} × ${height} pixels; at most ${maxSide} on a side can be sent`
    : null;
}

interface Reader {
  /** Tests whether the bytes contain the image's end, or for a GIF, its header. More bytes after the end do not matter. */
  readonly isWhole: (bytes: Buffer) => boolean;
  readonly header: (bytes: Buffer) => Header | null;
}

const readers: Readonly<Record<string, Reader>> = {
  "image/png": {
    isWhole: (bytes) => bytes.lastIndexOf("IEND", undefined, "latin1") > 24,
    header: (bytes) => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
  },
  "image/jpeg": { isWhole: (bytes) => bytes.lastIndexOf(Buffer.of(0xff, 0xd9)) > 2, header: readJpeg },
  "image/gif": {
    isWhole: (bytes) => bytes.length > 13,
    header: (bytes) => ({ width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) }),
  },
  "image/webp": {
    isWhole: (bytes) => bytes.length >= 30 && bytes.readUInt32LE(4) + 8 <= bytes.length,
    header: readWebp,
  },
};

/** Returns the size of a JPEG by skipping its segments up to the one with the size; null if there is none. */
function readJpeg(bytes: Buffer): Header | null {
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    if (marker === 0xff) at += 1;
    else if (isFrame(marker))
      return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    else at += 2 + bytes.readUInt16BE(at + 2);
  }
  return null;
}

/** Tests whether a marker begins a frame, which has the size. The excluded markers in the same range have other meanings. */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
}

function readWebp(bytes: Buffer): Header | null {
  switch (bytes.toString("latin1", 12, 16)) {
    case "VP8 ":
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case "VP8L": {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case "VP8X":
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}
