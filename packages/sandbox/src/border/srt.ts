import { existsSync } from "node:fs";
import type { SandboxManager } from "@anthropic-ai/sandbox-runtime";
import { ToolmountError } from "@toolmount/core";
import { findProgram } from "../system/bubblewrap.ts";
import { ownProcesses } from "../system/own-processes.ts";
import type { Border, Grants } from "./border.ts";
import { readablePaths } from "./readable.ts";
import { processEnvironment } from "./environment.ts";
import { memoryOption } from "./memory-option.ts";
import { endWithParent } from "./plain.ts";

type Runtime = typeof SandboxManager;

/** The started runtime and its list of hosts, because the runtime has only one list for the whole process. */
let started: { readonly hosts: string; readonly runtime: Promise<Runtime> } | undefined;

/**
 * The border of Anthropic's sandbox-runtime, an optional package, for macOS and for lists of hosts: it sends the process's
 * network traffic through its own proxy. On Linux it uses bubblewrap, socat and ripgrep. It lets all files be read that are not
 * hidden, so the home folder is hidden except for the granted paths.
 */
export const srtBorder: Border = {
  name: "srt",
  async launch({ node, options, file, code }, grants) {
    const { read, write, denied, secret = [], memoryMb, env } = grants;
    const runtime = await startRuntime(hostsOf(grants));
    const shell = findProgram("bash", env["PATH"]);
    if (shell === undefined) throw unavailable("bash is not on PATH");
    const command = [node, ...memoryOption(memoryMb), ...options, file].map(quote).join(" ");
    const home = env["HOME"];
    const wrapped = await runtime.wrapWithSandbox(command, shell, {
      filesystem: {
        denyRead: [...(home === undefined ? [] : [home]), ...unnamed(secret, [...read, ...write])],
        allowRead: [node, ...readablePaths([...code, ...read, ...write], secret)],
        allowWrite: [...write],
        denyWrite: [...denied],
      },
    });
    return endWithParent({ file: shell, args: ["-c", coverForRoot(wrapped)], env });
  },
};

/** Returns the secret paths that exist and that the plan does not name. */
function unnamed(secret: readonly string[], named: readonly string[]): string[] {
  return secret.filter(
    (path) => existsSync(path) && !named.some((each) => `${each}/`.startsWith(`${path}/`)),
  );
}

/**
 * Returns the runtime's command with the settings of the kernel below /proc covered. The runtime leaves these open, and root may
 * write them without any capability.
 */
function coverForRoot(wrapped: string): string {
  if (process.platform !== "linux" || process.getuid?.() !== 0) return wrapped;
  const [before, after, ...more] = wrapped.split(" --proc /proc ");
  if (after === undefined || more.length > 0)
    throw unavailable("it leaves the kernel's settings open to root; start the host as another user");
  return `${before} ${ownProcesses().join(" ")} ${after}`;
}

function hostsOf({ network = "none" }: Grants): readonly string[] {
  if (network === "any")
    throw unavailable('it allows listed hosts only; name them, or choose network "none"');
  return network === "none" ? [] : network;
}

async function startRuntime(hosts: readonly string[]): Promise<Runtime> {
  const key = JSON.stringify(hosts);
  if (started !== undefined && started.hosts !== key)
    throw unavailable("another entry already uses it with another list of hosts; give both the same list");
  started ??= { hosts: key, runtime: openRuntime(hosts) };
  try {
    return await started.runtime;
  } catch (error) {
    started = undefined;
    throw error;
  }
}

async function openRuntime(hosts: readonly string[]): Promise<Runtime> {
  const runtime = await importRuntime();
  const ripgrep = await findRipgrep();
  const { errors } = runtime.checkDependencies(ripgrep);
  if (errors.length > 0) throw unavailable(errors.join("; "));
  const network = { allowedDomains: [...hosts], deniedDomains: [] };
  await runtime.initialize({
    network,
    ripgrep,
    filesystem: { denyRead: [], allowWrite: [], denyWrite: [] },
  });
  return runtime;
}

async function importRuntime(): Promise<Runtime> {
  try {
    return (await import("@anthropic-ai/sandbox-runtime")).SandboxManager;
  } catch {
    throw unavailable("its package is not installed; run: npm install @anthropic-ai/sandbox-runtime");
  }
}

/** Returns the optional package's `rg`; undefined if the runtime finds one on PATH, or if there is none. */
async function findRipgrep(): Promise<{ command: string } | undefined> {
  if (findProgram("rg", processEnvironment([])["PATH"]) !== undefined) return undefined;
  try {
    return { command: (await import("@vscode/ripgrep")).rgPath };
  } catch {
    return undefined;
  }
}

/** Quotes a word for a POSIX shell. */
function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function unavailable(problem: string): ToolmountError {
  return new ToolmountError("SANDBOX_UNAVAILABLE", { border: "srt", problem });
}
