/** Kinds of files by their first bytes: MIME type, bytes as Latin-1 text, and their position. */
const signatures: readonly (readonly [mimeType: string, start: string, at?: number])[] = [
  ["image/png", "\x89PNG\r\n\x1a\n"],
  ["image/jpeg", "\xff\xd8\xff"],
  ["image/gif", "GIF87a"],
  ["image/gif", "GIF89a"],
  ["image/webp", "WEBP", 8],
  ["image/bmp", "BM"],
  ["image/tiff", "II*\0"],
  ["image/tiff", "MM\0*"],
  ["image/avif", "ftypavif", 4],
  ["image/x-icon", "\0\0\x01\0"],
  ["application/pdf", "%PDF-"],
  ["application/zip", "PK\x03\x04"],
  ["application/gzip", "\x1f\x8b"],
  ["application/zstd", "\x28\xb5\x2f\xfd"],
  ["application/x-xz", "\xfd7zXZ\0"],
  ["application/x-7z-compressed", "7z\xbc\xaf\x27\x1c"],
  ["application/x-elf", "\x7fELF"],
  ["application/wasm", "\0asm"],
  ["application/vnd.sqlite3", "SQLite format 3\0"],
  ["application/x-msdownload", "MZ"],
  ["audio/mpeg", "ID3"],
  ["audio/ogg", "OggS"],
  ["audio/wav", "WAVE", 8],
  ["audio/flac", "fLaC"],
  ["video/mp4", "ftyp", 4],
  ["video/x-matroska", "\x1a\x45\xdf\xa3"],
  ["font/woff2", "wOF2"],
];

/** Types of images that models can see. */
const shown = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

/** Guesses the type of a file that is not a text. */
export function mimeTypeOf(bytes: Buffer): string {
  const start = bytes.toString("latin1", 0, 32);
  const found = signatures.find(([, signature, at = 0]) => start.startsWith(signature, at));
  return found?.[0] ?? "application/octet-stream";
}

/** Whether models can see images of this type. */
export function isShown(mimeType: string): boolean {
  return shown.has(mimeType);
}
