import { closeSync, constants, createWriteStream, fstatSync, openSync, writeSync } from "node:fs";
import type { Writable } from "node:stream";
import type { WriteStream } from "node:tty";
import type { Sink } from "../screen/screen.ts";
import { isTerminal } from "./is-terminal.ts";

/** The output for the command's answers. `write` returns only after everything is written. */
interface AnswerSink extends Sink {
  /** The error's code if answers no longer arrive: `EPIPE` if the reader has closed, `EIO` if the terminal is gone. */
  readonly lost: string | undefined;
  /** Opens the same output as a stream that does not block the thread. */
  openStream(): Writable;
}

const stdoutFd = 1;
const stderrFd = 2;

/** The environment variable that names the real stdout after this process has replaced itself: `<pid>:<fd>`. */
const variable = "TOOLMOUNT_STDOUT";

/**
 * Keeps stdout for the command's answers. From now on file descriptor 1 is stderr, so that everything that a tool writes to
 * stdout (console, `process.stdout`, a child with inherited stdio, native code) is shown on stderr.
 *
 * Call it before any code uses `process.stdout`. Where descriptors cannot be exchanged, as on Windows, it only redirects
 * `process.stdout`.
 */
export function takeStdout(): AnswerSink {
  const given = readHandedOver();
  if (given !== undefined) return createAnswerSink(given);
  if (isNullDevice(stdoutFd)) return createAnswerSink(stdoutFd);
  const reopened = isReopenable(stdoutFd) && isReopenable(stderrFd) ? exchange() : undefined;
  if (reopened !== undefined) return createAnswerSink(reopened);
  replaceProcess();
  return redirectProcessStdout();
}

/** Returns the descriptor of the real stdout if this process has just replaced itself; otherwise undefined. */
function readHandedOver(): number | undefined {
  const [pid, fd] = (process.env[variable] ?? "").split(":");
  delete process.env[variable];
  return pid === String(process.pid) ? Number(fd) : undefined;
}

/**
 * Tests whether a descriptor can be opened again by its path. A file would then have a second offset, and a socket refuses it.
 */
function isReopenable(fd: number): boolean {
  try {
    const stat = fstatSync(fd);
    return stat.isFIFO() || stat.isCharacterDevice();
  } catch {
    return false;
  }
}

function isNullDevice(fd: number): boolean {
  try {
    return fstatSync(fd).isCharacterDevice() && !isTerminal(fd);
  } catch {
    return false;
  }
}

/** Opens stdout again under another number, and stderr again as number 1. Returns undefined if that is not possible. */
function exchange(): number | undefined {
  try {
    // Without O_NONBLOCK, opening a pipe that has no reader would wait for one.
    const answers = openSync("/dev/fd/1", constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    const errors = openSync("/dev/fd/2", constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    closeSync(errors);
    closeSync(stdoutFd);
    // A new descriptor gets the lowest free number, which is 1 here.
    openSync("/dev/fd/2", constants.O_WRONLY | constants.O_NOCTTY);
    return answers;
  } catch {
    return undefined;
  }
}

/**
 * Replaces this process with a new Node process, in which descriptor 1 is stderr and descriptor 3 is the real stdout. Only a
 * shell can duplicate the descriptors, because Node cannot. It costs the start of one empty Node process.
 */
function replaceProcess(): void {
  const [script, ...words] = process.argv.slice(1);
  if (process.execve === undefined || process.platform === "win32" || script === undefined) return;
  try {
    process.execve(
      "/bin/sh",
      ["sh", "-c", 'exec "$0" "$@" 3>&1 1>&2', process.execPath, ...process.execArgv, script, ...words],
      { ...process.env, [variable]: `${process.pid}:3` },
    );
  } catch {
    // Without /bin/sh this process continues, and the caller redirects only `process.stdout`.
  }
}

function redirectProcessStdout(): AnswerSink {
  process.stdout.write = process.stderr.write.bind(process.stderr);
  return createAnswerSink(stdoutFd);
}

function createAnswerSink(fd: number): AnswerSink {
  let lost: string | undefined;
  const terminal = isTerminal(fd) ? openTerminal(fd) : undefined;
  terminal?.on("error", ({ code = "EIO" }: NodeJS.ErrnoException) => (lost ??= code));
  return {
    isTTY: terminal !== undefined,
    get columns() {
      return terminal?.columns;
    },
    get lost() {
      return lost;
    },
    openStream() {
      if (terminal !== undefined) return terminal;
      const stat = fstatSync(fd);
      if (stat.isFIFO() || stat.isSocket()) return openSocket(fd);
      return createWriteStream("", { fd });
    },
    write(text) {
      if (lost !== undefined) return;
      if (terminal === undefined) lost = writeAll(fd, Buffer.from(text));
      else terminal.write(text);
    },
  };
}

function openTerminal(fd: number): WriteStream {
  const { WriteStream } = process.getBuiltinModule("node:tty");
  return new WriteStream(fd);
}

function openSocket(fd: number): Writable {
  const { Socket } = process.getBuiltinModule("node:net");
  return new Socket({ fd, readable: false, writable: true });
}

/** Milliseconds between two attempts to write to a pipe that is full. */
const pauseMs = 5;

/** Writes every byte, and waits while a pipe is full. Returns the error's code if the reader is gone or the disk is full. */
function writeAll(fd: number, bytes: Uint8Array): string | undefined {
  for (let offset = 0; offset < bytes.length;) {
    try {
      offset += writeSync(fd, bytes, offset);
    } catch (error) {
      const { code = "EIO" } = error as NodeJS.ErrnoException;
      if (code !== "EAGAIN") return code;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
  }
  return undefined;
}
