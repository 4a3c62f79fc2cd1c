import { once } from "node:events";
import {
  existsSync,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Report, Target } from "../proof/attempts.ts";
import { bubblewrapArguments, findProgram, systemCallFilter } from "./bubblewrap.ts";
import { inheritedDescriptors } from "./inherited-descriptors.ts";
import { keptProof } from "./kept-proof.ts";
import { namespaceProblem } from "./namespace-settings.ts";
import { callAttempts, namesOf, type SandboxKind } from "./escape-table.ts";
import { maxMemoryBytes, memoryFolders, sandboxMounts, wallMounts } from "./sandbox-mounts.ts";
import { runInSandbox } from "./start-sandbox.ts";
import { syscallProgram } from "./syscall-program.ts";

/** Result of the attempts to break out of a kind of sandbox on this machine. */
export interface SandboxProof {
  /** Why the sandbox must not be used; null if every attempt was stopped. */
  readonly problem: string | null;
  /** Names of the attempts that the sandbox stopped. */
  readonly stopped: readonly string[];
}

/** The kind of sandbox to prove, where bubblewrap and stored proofs are found, and whether a stored proof counts. */
export interface ProofOptions {
  readonly kind: SandboxKind;
  /** `PATH`, on which bubblewrap is found, and `HOME`, below which a passed proof is stored. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Whether to make the attempts again, although a passed proof is stored. */
  readonly isFresh?: boolean | undefined;
}

/** Longest time for all attempts, in milliseconds. They take half a second, and many times that on a busy machine. */
const timeoutMs = 60_000;

/** A variable that bubblewrap itself gets, and that programs inside must not get. */
const variable = "TOOLMOUNT_PROOF";

/** Returns the text of the escape table, and the type by which Node reads it. */
function attempts(): { readonly type: string; readonly text: string } {
  const file = fileURLToPath(import.meta.resolve("#sandbox-attempts"));
  return { type: file.endsWith(".ts") ? "module-typescript" : "module", text: readFileSync(file, "utf8") };
}

/** The proofs of this process, so that each is made only once. */
const proofs = new Map<string, Promise<SandboxProof>>();

/**
 * Tries to break out of a sandbox that is built as for every program: a process inside makes each attempt of the escape table.
 * A passed proof is stored for this kernel, bubblewrap, user, table and arguments. After a failed one, the next call tries
 * again.
 */
export async function proveSandbox(options: ProofOptions): Promise<SandboxProof> {
  const { kind, env, isFresh = false } = options;
  const key = JSON.stringify([kind, env["PATH"], env["HOME"]]);
  const known = isFresh ? undefined : proofs.get(key);
  if (known !== undefined) return known;
  const proof = proveInPlace(options);
  proofs.set(key, proof);
  const { problem } = await proof;
  if (problem !== null) proofs.delete(key);
  return proof;
}

/**
 * Proves a sandbox, even if this process has already done so. `weaken` changes bubblewrap's arguments, to test that leaks are
 * found.
 */
export async function proveInPlace(
  { kind, env, isFresh = false }: ProofOptions,
  weaken = (args: readonly string[], _place: Place) => args,
): Promise<SandboxProof> {
  const bwrap = findProgram("bwrap", env["PATH"]);
  if (bwrap === undefined) return failed("bwrap is not on PATH; install the package bubblewrap");
  const place = makePlace();
  try {
    const args = weaken(bubblewrapArguments({ cwd: place.box, env: {} }, mountsOf(kind, place)), place);
    const filter = systemCallFilter({ network: hasNetwork(kind) });
    const facts = [args, filter?.toString(), programs(), attempts().text];
    const kept = keptProof(bwrap, env["HOME"], JSON.stringify(facts).replaceAll(place.folder, "place"));
    if (!isFresh && kept.exists()) return { problem: null, stopped: namesOf(kind) };
    const proof = await tryAll(kind, place, { bwrap, args, env, filter });
    if (proof.problem === null) kept.write();
    return proof;
  } finally {
    rmSync(place.folder, { recursive: true, force: true });
  }
}

function failed(problem: string): SandboxProof {
  return { problem, stopped: [] };
}

/** The files at which the attempts are directed, in a temporary folder. */
export interface Place {
  readonly folder: string;
  /** A folder that can be changed, with a file in it that cannot be changed, and one that cannot be read. */
  readonly box: string;
  readonly denied: string;
  readonly secret: string;
  /** A folder that is not granted, with a file in it. */
  readonly outside: string;
  readonly temporary: string;
}

function makePlace(): Place {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "toolmount-proof-"));
  const [box, outside, temporary] = ["box", "outside", "tmp"].map((name) => join(folder, name));
  for (const path of [box!, outside!, temporary!]) mkdirSync(path);
  const [denied, secret] = ["denied", "secret"].map((name) => join(box!, name));
  for (const path of [denied!, secret!, join(outside!, "file")]) writeFileSync(path, "of the host");
  return { folder, box: box!, outside: outside!, temporary: temporary!, denied: denied!, secret: secret! };
}

function isWall(kind: SandboxKind): boolean {
  return kind === "wall" || kind === "offline";
}

function hasNetwork(kind: SandboxKind): boolean {
  return kind === "wall" || kind === "online";
}

/** Returns the mounts of a kind of sandbox, as for every program that runs in it. */
function mountsOf(kind: SandboxKind, { box, denied, secret, temporary }: Place): readonly string[] {
  const read = [realpathSync(process.execPath)];
  const paths = { cwd: box, write: [box], denied: [denied], secret: [secret], read };
  const network = hasNetwork(kind);
  return isWall(kind) ? wallMounts({ ...paths, temporary, network }) : sandboxMounts({ ...paths, network });
}

/** Returns the programs of the attempts that are one system call each, in base64; none if the processor is not known. */
function programs(): Record<string, string> {
  const made = Object.entries(callAttempts).map(([name, attempt]) => {
    const [x64, arm64] = attempt.call;
    const call = process.arch === "x64" ? x64 : (arm64 ?? x64);
    return [name, syscallProgram(process.arch, call, attempt.args)?.toString("base64")] as const;
  });
  return Object.fromEntries(
    made.flatMap(([name, program]) => (program === undefined ? [] : [[name, program]])),
  );
}

interface Start extends Pick<ProofOptions, "env"> {
  readonly bwrap: string;
  readonly args: readonly string[];
  readonly filter: Uint8Array | undefined;
}

/** Makes the attempts, some of them against services of this process. */
async function tryAll(kind: SandboxKind, place: Place, start: Start): Promise<SandboxProof> {
  const abstract = basename(place.folder);
  const [tcp, unix] = [createServer(), createServer()];
  tcp.listen(0, "127.0.0.1");
  unix.listen(`\0${abstract}`);
  try {
    await Promise.all([once(tcp, "listening"), once(unix, "listening")]);
    const target = targetOf(kind, place, {
      port: (tcp.address() as AddressInfo).port,
      abstract,
      env: start.env,
    });
    return judge(kind, await runAttempts(target, start));
  } catch (error) {
    return failed(`the attempts to break out of it could not be made: ${(error as Error).message}`);
  } finally {
    for (const server of [tcp, unix] satisfies Server[]) server.close();
  }
}

function targetOf(
  kind: SandboxKind,
  place: Place,
  { port, abstract, env }: Pick<Target, "port" | "abstract"> & Pick<ProofOptions, "env">,
): Target {
  const { secret, denied, outside } = place;
  const namespaces = Object.fromEntries(
    ["pid", "ipc"].map((name) => [name, readlinkSync(`/proc/self/ns/${name}`)]),
  );
  const home = env["HOME"] ?? "/";
  const folder = existsSync(home) ? statSync(home) : undefined;
  return {
    names: namesOf(kind),
    secret,
    denied,
    outside,
    home: { path: home, identity: folder === undefined ? "" : `${folder.dev} ${folder.ino}` },
    namespaces,
    port,
    abstract,
    variable,
    sized: isWall(kind) ? ["/dev", "/dev/shm", "/run"] : ["/", "/dev", ...memoryFolders],
    maxBytes: maxMemoryBytes,
    descriptors: inheritedDescriptors()
      .map((each) => fstatSync(each))
      .filter((facts) => !facts.isCharacterDevice())
      .map(({ dev, ino }) => `${dev} ${ino}`),
    programs: programs(),
  };
}

/** Runs the escape table inside the sandbox. Rejects if it does not report. */
async function runAttempts(target: Target, { bwrap, args, env, filter }: Start): Promise<Report> {
  const program = attempts();
  const words = [`--input-type=${program.type}`, "--no-warnings", "--eval", program.text];
  const launch = {
    file: bwrap,
    args: [...args, realpathSync(process.execPath), ...words, JSON.stringify(target)],
    env: { PATH: env["PATH"] ?? "", [variable]: "of the host" },
    filter,
  };
  const { stdout, stderr } = await runInSandbox(launch, { timeoutMs });
  try {
    return JSON.parse(stdout) as Report;
  } catch {
    throw new Error(namespaceProblem(stderr.trim().slice(0, 500) || "the process inside reported nothing"));
  }
}

/** Returns the result: a sandbox holds if every attempt of its kind was made and was stopped. */
function judge(kind: SandboxKind, report: Report): SandboxProof {
  const names = namesOf(kind);
  const stopped = names.filter((name) => report[name] === null);
  const leaks = names.filter((name) => report[name] === "leaked");
  const untried = names.filter((name) => !stopped.includes(name) && !leaks.includes(name));
  const problems = [
    ...(leaks.length === 0 ? [] : [`a program inside it can ${leaks.join(", ")}`]),
    ...untried.map(
      (name) => `whether a program inside it can ${name} is not known: ${report[name] ?? "no report"}`,
    ),
  ];
  return { problem: problems.length === 0 ? null : problems.join("; "), stopped };
}
