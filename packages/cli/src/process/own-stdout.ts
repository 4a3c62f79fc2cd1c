import { spawn } from "node:child_process";
import { createWriteStream, fstatSync } from "node:fs";
import { constants } from "node:os";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/** Names the descriptor that only the protocol writes to. Set by the outer process, read and removed by the inner one. */
const variable = "TOOLMOUNT_PROTOCOL_FD";

/** Descriptor of the protocol in the inner process. */
const protocolFd = 3;

const forwarded = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * The stream that only the protocol writes to, in the inner process; undefined in the outer one.
 *
 * Whatever else writes to standard output there (a tool, a child that inherits it, native code) reaches stderr.
 */
export function takeProtocolStream(): Writable | undefined {
  if (process.env[variable] !== String(protocolFd)) return undefined;
  delete process.env[variable]; // no child of a tool is an inner process
  const { isFIFO, isSocket } = kindOf(protocolFd);
  return isFIFO || isSocket
    ? new Socket({ fd: protocolFd, readable: false, writable: true })
    : createWriteStream("", { fd: protocolFd });
}

function kindOf(fd: number): { isFIFO: boolean; isSocket: boolean } {
  const stat = fstatSync(fd);
  return { isFIFO: stat.isFIFO(), isSocket: stat.isSocket() };
}

/**
 * Runs this same command again as an inner process whose standard output is stderr, and whose descriptor 3 is the real
 * standard output. Resolves to its exit code.
 */
export async function runWithOwnStdout(): Promise<number> {
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    stdio: [0, 2, 2, 1],
    env: { ...process.env, [variable]: String(protocolFd) },
  });
  // Ctrl-C at a terminal reaches both processes by itself.
  const forward = (signal: NodeJS.Signals) => {
    if (signal !== "SIGINT" || !isTerminal) child.kill(signal);
  };
  const isTerminal = process.stdout.isTTY;
  for (const signal of forwarded) process.on(signal, forward);
  try {
    return await new Promise((resolve, reject) => {
      child.once("error", reject);
      child.once("exit", (code, signal) =>
        resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])),
      );
    });
  } finally {
    for (const signal of forwarded) process.off(signal, forward);
  }
}
