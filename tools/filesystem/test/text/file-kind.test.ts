import { expect, test } from "vitest";
import { isShown, mimeTypeOf } from "../../src/text/file-kind.ts";

// The first bytes of files as programs write them. Sources: the format's own specification, or file(1).
test.each([
  ["image/png", "89504e470d0a1a0a0000000d49484452"],
  ["image/jpeg", "ffd8ffe000104a464946"],
  ["image/gif", "474946383761"],
  ["image/gif", "474946383961"],
  ["image/webp", "52494646aabbccdd57454250"],
  ["image/bmp", "424d36000c00"],
  ["image/tiff", "49492a0008000000"],
  ["image/tiff", "4d4d002a00000008"],
  ["image/avif", "0000001c6674797061766966"],
  ["image/x-icon", "000001000100"],
  ["application/pdf", "255044462d312e37"],
  ["application/zip", "504b030414000000"],
  ["application/gzip", "1f8b0800"],
  ["application/zstd", "28b52ffd04"],
  ["application/x-xz", "fd377a585a000004"],
  ["application/x-7z-compressed", "377abcaf271c0004"],
  ["application/x-elf", "7f454c460201"],
  ["application/wasm", "0061736d01000000"],
  ["application/vnd.sqlite3", "53514c69746520666f726d6174203300"],
  ["application/x-msdownload", "4d5a9000"],
  ["audio/mpeg", "49443304"],
  ["audio/ogg", "4f67675300"],
  ["audio/wav", "52494646aabbccdd57415645666d7420"],
  ["audio/flac", "664c614300"],
  ["video/mp4", "000000206674797069736f6d"],
  ["video/x-matroska", "1a45dfa3"],
  ["font/woff2", "774f463200010000"],
  ["application/octet-stream", "52494646aabbccdd"],
  ["application/octet-stream", "0089504e470d0a1a0a"],
  ["application/octet-stream", ""],
])("a file is %s when it begins with %s", (kind, start) => {
  expect(mimeTypeOf(Buffer.from(start, "hex"))).toBe(kind);
});

test("a model looks at four kinds of images, and at no other file", () => {
  const kinds = ["png", "jpeg", "gif", "webp"].map((name) => `image/${name}`);
  expect(kinds.every(isShown)).toBe(true);
  expect(["image/bmp", "image/tiff", "image/avif", "application/pdf"].some(isShown)).toBe(false);
});
