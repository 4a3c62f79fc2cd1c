const blockBytes = 65_536;

/** Bytes that are collected in blocks, so that a million small pieces cost as much as one large piece. */
class Blocks {
  readonly #blocks: Buffer[] = [];
  #room = 0;
  length = 0;

  add(bytes: Buffer): void {
    for (let at = 0; at < bytes.length;) {
      if (this.#room === 0) {
        this.#blocks.push(Buffer.allocUnsafeSlow(blockBytes));
        this.#room = blockBytes;
      }
      const count = bytes.copy(this.#blocks.at(-1)!, blockBytes - this.#room, at, at + this.#room);
      this.#room -= count;
      this.length += count;
      at += count;
    }
  }

  /** Drops whole blocks from the start as long as at least `keep` bytes remain. Returns how many bytes were dropped. */
  dropOver(keep: number): number {
    let dropped = 0;
    while (this.length - blockBytes >= keep) {
      this.#blocks.shift();
      this.length -= blockBytes;
      dropped += blockBytes;
    }
    return dropped;
  }

  slice(from: number, to: number): Buffer {
    const first = Math.floor(from / blockBytes);
    const last = Math.ceil(to / blockBytes);
    const part = Buffer.concat(this.#blocks.slice(first, last));
    return part.subarray(from - first * blockBytes, to - first * blockBytes);
  }
}

/** What a stream printed: everything up to a limit, and beyond it only the start and the end. */
export class Capture {
  readonly #head = new Blocks();
  readonly #tail = new Blocks();
  readonly #half: number;
  /** Where in the stream the tail begins. */
  #tailStart: number;
  totalBytes = 0;
  /** Number of line feeds in the whole stream. */
  lines = 0;

  constructor(keepBytes: number) {
    this.#half = Math.max(1, Math.floor(keepBytes / 2));
    this.#tailStart = this.#half;
  }

  add(bytes: Buffer): void {
    this.totalBytes += bytes.length;
    for (let at = bytes.indexOf(10); at !== -1; at = bytes.indexOf(10, at + 1)) this.lines++;
    const fits = Math.max(0, Math.min(bytes.length, this.#half - this.#head.length));
    this.#head.add(bytes.subarray(0, fits));
    this.#tail.add(bytes.subarray(fits));
    this.#tailStart += this.#tail.dropOver(this.#half);
  }

  get keptBytes(): number {
    return this.#head.length + this.#tail.length;
  }

  /**
   * Returns at most `limit` bytes from `offset` on. If `offset` is in a dropped middle, returns bytes of the tail, with the
   * `offset` where they really start.
   */
  page(offset: number, limit: number): { bytes: Buffer; offset: number } {
    const from = offset >= this.#head.length && offset < this.#tailStart ? this.#tailStart : offset;
    const start = Math.min(from, this.totalBytes);
    const end = Math.min(start + limit, this.totalBytes);
    if (start < this.#head.length) {
      const inHead = Math.min(end, this.#head.length);
      const rest =
        end > inHead && this.#tailStart === this.#head.length ? this.#ofTail(inHead, end) : Buffer.alloc(0);
      return { bytes: Buffer.concat([this.#head.slice(start, inHead), rest]), offset: start };
    }
    return { bytes: this.#ofTail(start, end), offset: start };
  }

  #ofTail(from: number, to: number): Buffer {
    return this.#tail.slice(from - this.#tailStart, to - this.#tailStart);
  }

  /** Returns the first bytes, but at most as many as are kept of the start. */
  start(count: number): Buffer {
    return this.page(0, count).bytes;
  }

  /** Returns the last bytes, but at most as many as are kept of the end. */
  end(count: number): Buffer {
    return this.page(Math.max(0, this.totalBytes - count), count).bytes;
  }
}
