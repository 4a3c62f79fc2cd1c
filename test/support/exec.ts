import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";

const root = join(import.meta.dirname, "../..");

export interface ExecOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** With this exit code it has done what was wanted. Default 0. */
  readonly code?: number;
}

/** Runs a program to its end, with no terminal, and gives what it printed. Throws all of it when it fails. */
export async function exec(
  command: string,
  words: readonly string[],
  { cwd, env = {}, code = 0 }: ExecOptions,
): Promise<string> {
  const child = spawn(command, words, {
    cwd,
    env: { ...inherited(), ...env, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const ended = new Promise<number | null>((resolve, reject) =>
    child.on("error", reject).on("close", resolve),
  );
  const [out, err, status] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  if (status === code) return out;
  throw new Error(`${command} ${words.join(" ")} ended with ${status} in ${cwd}\n${out}\n${err}`);
}

/** What a program needs to reach the network, and this workspace's own programs. */
function inherited(): Record<string, string> {
  const path = [join(root, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]].join(":");
  const wanted = /^(?:NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|https?_proxy|no_proxy|TMPDIR|LANG)$/i;
  const kept = Object.entries(process.env).filter(([name]) => wanted.test(name));
  return { ...(Object.fromEntries(kept) as Record<string, string>), PATH: path };
}
