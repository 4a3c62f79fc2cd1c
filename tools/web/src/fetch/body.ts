import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { brotliDecompress, crc32, inflate, inflateRaw, zstdDecompress, type Inflate } from "node:zlib";
import { FetchProblem } from "./problem.ts";

export interface BodyLimits {
  /** Maximum number of bytes of the body as downloaded. */
  readonly max_download_bytes: number;
  /** Maximum number of bytes of the body after decompression. */
  readonly max_decoded_bytes: number;
}

/** Maximum number of content encodings of one body. */
const maxEncodings = 3;

/**
 * Reads and decompresses a body, and stops at the first byte beyond a limit. Bytes after the end of a compressed body are
 * ignored, as browsers do, because caches and servers add line ends and comments there.
 *
 * Throws `RESPONSE_TOO_LARGE`; throws `FETCH_FAILED` for broken data, too many encodings, and those that `decoderOf` refuses.
 */
export async function readBody(
  body: Readable,
  encoding: string,
  limits: BodyLimits,
  signal: AbortSignal,
): Promise<Buffer> {
  const decoders = decodersOf(encoding);
  const options = { maxOutputLength: limits.max_decoded_bytes, signal };
  let bytes = await download(body, limits.max_download_bytes, signal);
  try {
    // A body without bytes, as for HEAD and 204, has no encoding either.
    if (bytes.length > 0) for (const decode of decoders) bytes = await decode(bytes, options);
  } catch (thrown) {
    throw problemOf(thrown, encoding, limits.max_decoded_bytes);
  }
  if (bytes.length > limits.max_decoded_bytes) throw tooLarge(limits.max_decoded_bytes);
  return bytes;
}

async function download(body: Readable, maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let seen = 0;
  const stop = () => body.destroy(signal.reason as Error);
  signal.addEventListener("abort", stop, { once: true });
  try {
    signal.throwIfAborted();
    for await (const chunk of body as AsyncIterable<Buffer>) {
      seen += chunk.length;
      if (seen > maxBytes) throw tooLarge(maxBytes);
      chunks.push(chunk);
    }
  } finally {
    signal.removeEventListener("abort", stop);
  }
  return Buffer.concat(chunks);
}

/** The limit for zlib, and the signal that ends the call, which is checked between the members of a body. */
interface DecodeOptions {
  readonly maxOutputLength: number;
  readonly signal: AbortSignal;
}

type Decode = (bytes: Buffer, options: DecodeOptions) => Promise<Buffer>;

function decodersOf(encoding: string): Decode[] {
  const names = encoding
    .toLowerCase()
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > maxEncodings)
    throw new FetchProblem(
      "FETCH_FAILED",
      `The response is compressed ${names.length} times; at most ${maxEncodings} are read`,
    );
  return names.toReversed().map(decoderOf);
}

function decoderOf(name: string): Decode {
  switch (name) {
    case "gzip":
    case "x-gzip":
      return gunzip;
    case "deflate":
      // The standard requires zlib's header, but some servers send the data without it.
      return (bytes, options) => promisify(hasZlibHeader(bytes) ? inflate : inflateRaw)(bytes, options);
    case "br":
      return promisify(brotliDecompress);
    case "zstd":
      return promisify(zstdDecompress);
    case "compress":
    case "x-compress":
    case "dcb":
    case "dcz":
      throw new FetchProblem("FETCH_FAILED", `The response has an encoding that is not read: ${name}`);
    default:
      // Servers also write charsets and other words here; browsers then show the body unchanged.
      return (bytes) => Promise.resolve(bytes);
  }
}

function hasZlibHeader(bytes: Buffer): boolean {
  return (bytes[0]! & 0x0f) === 8 && (bytes.length < 2 || bytes.readUInt16BE(0) % 31 === 0);
}

/** Reads the members of a gzip body (RFC 1952). Node's own gunzip fails if something else follows them. */
async function gunzip(bytes: Buffer, { maxOutputLength, signal }: DecodeOptions): Promise<Buffer> {
  const members: Buffer[] = [];
  let left = maxOutputLength;
  if (!isGzip(bytes)) throw new BrokenMember("it has no header");
  for (let at = 0; isGzip(bytes.subarray(at));) {
    // A body can have half a million members, each of which takes some time.
    signal.throwIfAborted();
    const from = at + gzipHeader(bytes.subarray(at));
    const { buffer, consumed } = await inflateMember(bytes.subarray(from), left);
    const end = from + consumed;
    at = end + 8; // a checksum and the length
    if (at > bytes.length) throw new BrokenMember("it ends in the middle");
    if (crc32(buffer) !== bytes.readUInt32LE(end)) throw new BrokenMember("its checksum differs");
    members.push(buffer);
    left -= buffer.length;
  }
  return Buffer.concat(members);
}

function inflateMember(
  bytes: Buffer,
  maxOutputLength: number,
): Promise<{ readonly buffer: Buffer; readonly consumed: number }> {
  return new Promise((resolve, reject) => {
    inflateRaw(bytes, { maxOutputLength: Math.max(maxOutputLength, 1), info: true }, (error, result) => {
      if (error !== null) return reject(error);
      const { buffer, engine } = result as unknown as { buffer: Buffer; engine: Inflate };
      resolve({ buffer, consumed: engine.bytesWritten });
    });
  });
}

function isGzip(bytes: Buffer): boolean {
  return bytes.length > 10 && bytes[0] === 0x1f && bytes[1] === 0x8b && bytes[2] === 8;
}

/** Returns the length of a gzip member's header. */
function gzipHeader(bytes: Buffer): number {
  const flags = bytes[3]!;
  let at = 10;
  if ((flags & 4) !== 0) at += 2 + (bytes[at] ?? 0) + (bytes[at + 1] ?? 0) * 256;
  for (const named of [8, 16]) if ((flags & named) !== 0) at = bytes.indexOf(0, at) + 1 || bytes.length;
  return (flags & 2) !== 0 ? at + 2 : at;
}

/** The error for a gzip body that is invalid or ends too early. */
class BrokenMember extends Error {}

function tooLarge(maxBytes: number): FetchProblem {
  const message = `Response too large: more than ${maxBytes} bytes`;
  return new FetchProblem("RESPONSE_TOO_LARGE", message, { max_bytes: maxBytes });
}

function problemOf(thrown: unknown, encoding: string, maxBytes: number): unknown {
  const { code = "" } = thrown as { code?: string };
  if (code === "ERR_BUFFER_TOO_LARGE") return tooLarge(maxBytes);
  if (!(thrown instanceof BrokenMember) && !/^(Z_|ZSTD_|ERR_BROTLI|ERR__)/.test(code)) return thrown;
  return new FetchProblem(
    "FETCH_FAILED",
    `The response is broken: its encoding is not ${encoding.slice(0, 40)}`,
    {},
    { cause: thrown },
  );
}
