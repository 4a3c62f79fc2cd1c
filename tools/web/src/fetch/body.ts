import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PassThrough, Transform, Writable } from "node:stream";
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from "node:zlib";
import { FetchProblem } from "./problem.ts";

export interface BodyLimits {
  /** As downloaded. */
  readonly max_download_bytes: number;
  /** After decompression. */
  readonly max_decoded_bytes: number;
}

/** Most content encodings of one body. */
const maxEncodings = 3;

/**
 * Reads and decompresses a body, and stops at the first byte beyond a limit. Throws `RESPONSE_TOO_LARGE`, and
 * `FETCH_FAILED` for an unknown encoding or broken data.
 */
export async function readBody(
  body: Readable,
  encoding: string,
  limits: BodyLimits,
  signal: AbortSignal,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const collect = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  const steps = [atMost(limits.max_download_bytes), ...decoders(encoding), atMost(limits.max_decoded_bytes)];
  try {
    await pipeline([body, ...steps, collect], { signal });
  } catch (thrown) {
    throw tooLarge(thrown) ?? brokenBody(thrown, encoding);
  }
  return Buffer.concat(chunks);
}

function decoders(encoding: string): Transform[] {
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

function decoderOf(name: string): Transform {
  switch (name) {
    case "gzip":
    case "x-gzip":
      return createGunzip();
    case "deflate":
      return inflateEither();
    case "br":
      return createBrotliDecompress();
    case "zstd":
      return createZstdDecompress();
    case "compress":
    case "x-compress":
    case "dcb":
    case "dcz":
      throw new FetchProblem("FETCH_FAILED", `The response has an encoding that is not read: ${name}`);
    default:
      // Servers also name charsets and words of their own here; browsers show such a body as it is.
      return new PassThrough();
  }
}

/** Reads `deflate` with the header of zlib, as the standard says, and without it, as some servers send it. */
function inflateEither(): Transform {
  let inner: Transform | undefined;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (inner === undefined) {
        inner = hasZlibHeader(chunk) ? createInflate() : createInflateRaw();
        inner.on("data", (data: Buffer) => this.push(data));
        inner.on("error", (error) => this.destroy(error));
      }
      inner.write(chunk, () => done());
    },
    flush(done) {
      if (inner === undefined) return done();
      inner.once("end", () => done());
      inner.end();
    },
    destroy(error, done) {
      inner?.destroy();
      done(error);
    },
  });
}

function hasZlibHeader(chunk: Buffer): boolean {
  return (chunk[0]! & 0x0f) === 8 && (chunk.length < 2 || chunk.readUInt16BE(0) % 31 === 0);
}

/** Passes `maxBytes` bytes and fails at the next one. */
function atMost(maxBytes: number): Transform {
  let seen = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      seen += chunk.length;
      if (seen <= maxBytes) return done(null, chunk);
      const message = `Response too large: more than ${maxBytes} bytes`;
      done(new FetchProblem("RESPONSE_TOO_LARGE", message, { max_bytes: maxBytes }));
    },
  });
}

function tooLarge(thrown: unknown): FetchProblem | null {
  return thrown instanceof FetchProblem ? thrown : null;
}

function brokenBody(thrown: unknown, encoding: string): unknown {
  const { code = "" } = thrown as { code?: string };
  if (!/^(Z_|ZSTD_|ERR_BROTLI|ERR__)/.test(code)) return thrown;
  return new FetchProblem(
    "FETCH_FAILED",
    `The response is broken: its encoding is not ${encoding.slice(0, 40)}`,
    {},
    { cause: thrown },
  );
}
