import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Shell } from "../process/shell.ts";
import { notYet } from "../render/not-yet.ts";

/** One fact about this machine. */
export interface MachineFinding {
  readonly what: string;
  /** `not yet`: toolmount itself does not have it. */
  readonly state: "ok" | "missing" | "not yet";
  readonly says: string;
}

/** Tries the programs and borders that toolmount uses. Every `ok` is the result of a trial, not of a version number. */
export async function examineMachine(shell: Shell): Promise<MachineFinding[]> {
  const node: MachineFinding = { what: "node", state: "ok", says: process.versions.node };
  const [programs, borders] = await Promise.all([examinePrograms(shell), examineBorders(shell)]);
  const missing = [...notYet].map(([name, says]): MachineFinding => {
    return { what: "not yet", state: "not yet", says: `${says}: ${name}` };
  });
  return [node, ...programs, ...borders, ...missing];
}

function examinePrograms(shell: Shell): Promise<MachineFinding[]> {
  const findings = ["npm", "git"].map(async (what): Promise<MachineFinding> => {
    const version = await run(what, ["--version"], shell);
    return version === undefined
      ? { what, state: "missing", says: "not found; toolmount install needs it" }
      : { what, state: "ok", says: version };
  });
  return Promise.all(findings);
}

const box = [
  "--unshare-all",
  "--die-with-parent",
  "--clearenv",
  "--ro-bind",
  "/",
  "/",
  "--proc",
  "/proc",
  "true",
];

const readRoot = `
  try { require("node:fs").readFileSync("/"); }
  catch (error) { if (error.code === "ERR_ACCESS_DENIED") console.log("denied"); }`;

/** Each border is tried: a process behind it must be refused. */
async function examineBorders(shell: Shell): Promise<MachineFinding[]> {
  const [bubblewrap, permission] = await Promise.all([
    run("bwrap", box, shell),
    run(process.execPath, ["--permission", "-e", readRoot], shell),
  ]);
  const denies = permission?.includes("denied") === true;
  return [
    {
      what: "permission",
      state: denies ? "ok" : "missing",
      says: denies
        ? "Node can keep a process from files; it is no wall against hostile code"
        : "this Node has no working --permission",
    },
    {
      what: "bwrap",
      state: bubblewrap === undefined ? "missing" : "ok",
      says:
        bubblewrap === undefined
          ? "bubblewrap is not installed, or may not create namespaces"
          : "bubblewrap can keep a process from the network and from files",
    },
  ];
}

/** The output of a program; undefined when it is not found or fails. */
async function run(
  program: string,
  words: readonly string[],
  { env, cwd }: Shell,
): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(program, [...words], {
      cwd,
      env: { PATH: env["PATH"], HOME: env["HOME"] },
      timeout: 10_000,
    });
    return stdout.trim().replace(/^git version /, "");
  } catch {
    return undefined;
  }
}
