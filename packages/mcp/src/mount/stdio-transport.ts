import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import {
  SdkError,
  SdkErrorCode,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from "@modelcontextprotocol/client";
import type { Logger } from "@toolmount/core";
import { messageOf } from "@toolmount/core/errors";
import { LineReader } from "@toolmount/core/json";
import { MessageTooLarge, tooLarge } from "../wire/message-size.ts";
import { WireReader } from "../reading/reader.ts";
import { startProgram, type ProcessTree, type Program } from "./process-tree.ts";

interface StdioOptions extends Program {
  readonly maxMessageBytes: number;
  readonly logger: Logger;
  /** Reads the messages of the program. The default drops the sentences about values that it could not take as they were. */
  readonly reader?: WireReader | undefined;
  readonly onStarted?: (() => void) | undefined;
}

/** Longest line of a server's stderr, or of output that is no message, that is logged, in characters. */
const maxLogged = 2_000;

/** Longest time that the output of a program is read after its end, in milliseconds. */
const lastWordsMs = 200;

/**
 * Speaks with a program over its stdin and stdout, one message on each line. Lines that are no messages are logged and left
 * out. Closing the transport ends the program and everything that it started.
 */
export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  /** What the program wrote to stderr most recently: the best known cause of an unexpected end. */
  lastWords = "";
  /** Set if the connection ended because the server sent a message that was too large. */
  refused: MessageTooLarge | undefined;
  /** How the program ended by itself; undefined while it runs, and if it was asked to end. */
  ended: string | undefined;
  readonly #options: StdioOptions;
  readonly #lines: LineReader;
  readonly #reader: WireReader;
  #tree: ProcessTree | undefined;
  #starting: Promise<unknown> | undefined;
  #strayLines = 0;
  #closed = false;

  constructor(options: StdioOptions) {
    this.#options = options;
    this.#reader = options.reader ?? new WireReader(() => {});
    this.#lines = new LineReader(options.maxMessageBytes, tooLarge);
  }

  get pid(): number | null {
    return this.#tree?.pid ?? null;
  }

  /** Whether the server got a request of this method that it has not answered. */
  isUnanswered(method: string): boolean {
    return this.#reader.isUnanswered(method);
  }

  /** The SDK takes a transport with this member as one over stdio, where a server that does not answer counts as an old one. */
  get stderr(): null {
    return null;
  }

  async start(): Promise<void> {
    if (this.#closed) throw new SdkError(SdkErrorCode.ConnectionClosed, "the transport is closed");
    const starting = startProgram(this.#options).then((started) => (this.#tree = started));
    this.#starting = starting;
    const tree = await starting;
    tree.output.on("data", (chunk: Buffer) => this.#read(chunk));
    // The last line of the output may lack a line break.
    const { promise: read, resolve: onRead } = Promise.withResolvers<void>();
    tree.output.once("end", () => (this.#read(Buffer.from("\n")), onRead()));
    tree.output.once("close", onRead);
    tree.output.on("error", (error) => this.onerror?.(error));
    tree.input.on("error", (error) => this.onerror?.(error));
    tree.errors.on("data", (chunk: Buffer) => this.#listen(chunk));
    this.#options.onStarted?.();
    void tree.exited.then(async ({ how, isFailure }) => {
      // An end is no cause if the program was asked to end. A failure of the program is a cause in any case.
      if (!this.#closed || isFailure) this.ended = how;
      // A process that the server's program started may keep the output open.
      await Promise.race([read, delay(lastWordsMs, undefined, { ref: false })]);
      return this.close();
    });
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const tree = this.#tree;
    if (tree === undefined || this.#closed || !tree.input.writable)
      throw new SdkError(SdkErrorCode.NotConnected, "the server is not running");
    this.#reader.sent(message);
    if (tree.input.write(serializeMessage(message))) return;
    await once(tree.input, "drain").catch((cause: unknown) => {
      // Part of the message may have reached the server.
      throw new SdkError(SdkErrorCode.ConnectionClosed, messageOf(cause));
    });
  }

  async close(): Promise<void> {
    const isFirst = !this.#closed;
    this.#closed = true;
    // A program that is just starting is ended, too.
    await this.#starting?.catch(() => {});
    await this.#tree?.end();
    if (isFirst) this.onclose?.();
  }

  #read(chunk: Buffer): void {
    if (this.refused !== undefined) return;
    try {
      for (const line of this.#lines.push(chunk)) this.#receive(line);
    } catch (error) {
      if (error instanceof MessageTooLarge) this.refused ??= error;
      this.onerror?.(error as Error);
      void this.close();
    }
  }

  #receive(line: string): void {
    if (line.trim() === "") return;
    const { logger } = this.#options;
    const messages = this.#reader.readLine(line);
    for (const message of messages ?? []) this.onmessage?.(message);
    if (messages !== undefined) return;
    const stray = { line: line.slice(0, maxLogged) };
    const words = "the server wrote a line to stdout that is no message";
    if (this.#strayLines++ === 0) logger.warn(stray, words);
    else logger.debug(stray, words);
  }

  #listen(chunk: Buffer): void {
    const text = chunk.toString("utf8");
    this.lastWords = `${this.lastWords}${text}`.slice(-maxLogged);
    this.#options.logger.debug({ stderr: text.slice(0, maxLogged) }, "the server wrote to stderr");
  }
}
