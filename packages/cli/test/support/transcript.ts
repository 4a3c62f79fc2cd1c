import { existsSync, readdirSync } from "node:fs";
import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative } from "node:path";
import type { Press } from "./person.ts";
import { root, runHere, workspace } from "./workspace.ts";

/** One case of a file of transcripts: files, and commands with what they print. */
export interface Transcript {
  readonly title: string;
  readonly steps: readonly Step[];
}

type Step =
  | { readonly kind: "file"; readonly path: string; readonly text: string }
  | {
      readonly kind: "command";
      readonly line: string;
      readonly presses: readonly string[];
      readonly shown: string;
    };

/**
 * `=== title` begins a case, `--- path` a file that is written then, `$ words` a command, and what follows is what it shows.
 * Lines `> keys at text` below a command are keys that a person at a terminal presses once the text is shown.
 */
export function readTranscripts(text: string): readonly Transcript[] {
  const [, ...cases] = text.split(/^=== /m);
  return cases.map((one) => {
    const [title = "", ...lines] = one.trimEnd().split("\n");
    const [, ...parts] = `\n${lines.join("\n")}`.split(/^(?=--- |\$ )/m);
    return { title, steps: parts.map(readStep) };
  });
}

function readStep(part: string): Step {
  const [head = "", ...rest] = part.trimEnd().split("\n");
  const text = rest.join("\n");
  if (!head.startsWith("$ ")) return { kind: "file", path: head.slice(4), text: `${text}\n` };
  const first = rest.findIndex((line) => !line.startsWith("> "));
  const presses = first === -1 ? rest : rest.slice(0, first);
  return { kind: "command", line: head.slice(2), presses, shown: rest.slice(presses.length).join("\n") };
}

/** A case as it is written, with what its commands show now. `shared` has files that every case begins with. */
export async function play({ title, steps }: Transcript, shared: Transcript): Promise<string> {
  const files = shared.steps.flatMap((step) => (step.kind === "file" ? [[step.path, step.text]] : []));
  const { folder } = await workspace(Object.fromEntries(files) as Record<string, string>);
  const played: string[] = [`=== ${title}`];
  const found = new Map<string, string>();
  for (const step of steps) {
    if (step.kind === "file") await writeIn(folder, step.path, step.text);
    const now = step.kind === "file" ? step : { ...step, shown: await showCommand(step, folder, found) };
    played.push(writtenStep(now));
  }
  return `${played.join("\n")}\n`;
}

/** The transcript as the file has it. */
export function writtenTranscript({ title, steps }: Transcript): string {
  return `${[`=== ${title}`, ...steps.map(writtenStep)].join("\n")}\n`;
}

function writtenStep(step: Step): string {
  if (step.kind === "file") return `--- ${step.path}\n${step.text.trimEnd()}`;
  return [`$ ${step.line}`, ...step.presses, step.shown].join("\n").trimEnd();
}

async function writeIn(folder: string, path: string, text: string): Promise<void> {
  await mkdir(dirname(join(folder, path)), { recursive: true });
  await writeFile(join(folder, path), text);
}

/** Standard output, then standard error with `! ` before each line, then the exit code where it is not 0. */
async function showCommand(
  { line, presses }: Extract<Step, { kind: "command" }>,
  folder: string,
  found: Map<string, string>,
): Promise<string> {
  const { env, words, input } = await readLine(
    line.replaceAll(/\{(\w+)\}/g, (whole, name: string) => found.get(name) ?? whole),
    folder,
  );
  const [program, ...rest] = words;
  if (program === "cat")
    return existsSync(join(folder, rest[0]!))
      ? mask((await readFile(join(folder, rest[0]!), "utf8")).trimEnd(), folder)
      : "no such file";
  if (program === "ls")
    return readdirSync(join(folder, rest[0] ?? "."), { recursive: true, encoding: "utf8" })
      .toSorted()
      .join("\n");
  if (program === "chmod") return chmod(join(folder, rest[1]!), Number.parseInt(rest[0]!, 8)).then(() => "");
  if (program === "rm") return rm(join(folder, rest[0]!), { recursive: true }).then(() => "");
  if (program !== "toolmount") throw new Error(`a transcript cannot run ${line}`);
  const ended = await runHere(rest, {
    cwd: folder,
    env: { HOME: folder, USER: "ada", FORCE_COLOR: "1", ...env },
    input,
    presses: presses.length === 0 ? undefined : presses.map(readPress),
  });
  const said = ended.stderr === "" ? "" : ended.stderr.replaceAll(/^(?=[^\n]|\n)/gm, "! ").replace(/! $/, "");
  const code = ended.code === 0 ? "" : `exit ${ended.code}\n`;
  // What this machine has stands above the first empty line.
  const stdout = line.endsWith(" | below") ? ended.stdout.replace(/^.*?\n\n/s, "") : ended.stdout;
  const shown = stdout + said + code;
  for (const [name, pattern] of Object.entries(later)) {
    const value = pattern.exec(shown)?.[1];
    if (value !== undefined) found.set(name, value);
  }
  return mask(shown, folder).trimEnd();
}

/** `> y⏎ at └  Press`: the keys, and what is shown before. */
function readPress(line: string): Press {
  const [, keys = "", at = ""] = /^> (\S+) at (.+)$/.exec(line) ?? [];
  const signs: Readonly<Record<string, string>> = {
    "⏎": "\r",
    "↓": "\u001b[B",
    "␣": " ",
    "⌃c": "\u0003",
    "⌃d": "\u0004",
  };
  return { at, keys: keys.replaceAll(/⌃.|[⏎↓␣]/gu, (sign) => signs[sign]!) };
}

/** What a later command of the case may name, as `{ticket}`: the newest one that was shown. */
const later = {
  ticket: /(?:resume |"ticket": ")([\w-]{20,})/,
  run: /"runId": "([\w-]+)"/,
  question: /^\w+ {2}([\w-]{8})$/m,
};

/** `NAME=value toolmount words < file`. Quotes keep words together. */
async function readLine(line: string, folder: string) {
  const pieces = [...line.matchAll(/(?:'[^']*'|"[^"]*"|[^\s'"])+/g)].map(([piece]) => piece);
  const unquoted = pieces.map((piece) => piece.replaceAll(/'([^']*)'|"([^"]*)"/g, "$1$2"));
  const first = unquoted.findIndex((word) => !/^[A-Z_]+=/.test(word));
  const from = unquoted.findIndex((word) => word === "<" || word === "|");
  const env = Object.fromEntries(unquoted.slice(0, first).map((pair) => pair.split(/=(.*)/s)));
  const words = unquoted.slice(first, from === -1 ? undefined : from);
  const path = unquoted[from] === "<" ? join(folder, unquoted[from + 1]!) : undefined;
  const input = path !== undefined && existsSync(path) ? await readFile(path, "utf8") : "";
  return { env: env as Record<string, string>, words, input };
}

const styles: Readonly<Record<string, string>> = {
  "1": "bold",
  "2": "dim",
  "31": "red",
  "32": "green",
  "33": "yellow",
  "36": "cyan",
};

/** Styles as words in ‹›, and what differs from run to run as the same. */
function mask(text: string, folder: string): string {
  return masks.reduce(
    (shown, [pattern, same]) => shown.replaceAll(pattern, same),
    text
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/\u001b\[(\d+)m/g, (_, code: string) => `‹${styles[code] ?? ""}›`)
      .replaceAll(folder, "/plan")
      // A path is relative where that is shorter.
      .replaceAll(`${relative(folder, root)}/`, "/toolmount/")
      .replaceAll(root, "/toolmount"),
  );
}

const masks: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "<id>"],
  [/(?<=session )[0-9a-f]{8}(?= ·)/g, "<id>"],
  [/(?<=toolmount approvals run )[\w-]{8}/g, "<id>"],
  [/\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d+Z/g, "<time>"],
  [/\b1[78]\d{11}\b/g, "<time>"],
  [/(?<!timeout )\b\d+(?:\.\d+)? ms\b/g, "12 ms"],
  [/(?<="(?:durationMs|duration|p95Ms|workedMs)": ?)[\d.]+/g, "12"],
  // Where the stack of an error points to changes with each line of a source.
  [/(?<=\/toolmount\/packages\/\S+\.[jt]s:)\d+:\d+/g, "<line>"],
  [/[0-9a-f]{64}/g, "<sha256>"],
  [/\b[0-9a-f]{12}-\d+\b/g, "<call>"],
  [/call_[0-9a-f]{32}/g, "<call>"],
  [/(?<=(?:ticket|id)": "|ticket: |resume |"writer":")[\w-]{32}/g, "<name>"],
  [/^(\w+ {2}|‹bold›)(?:[0-9a-f]{8}|[\w-]{8}$)/gm, "$1<id>"],
  [/^(! │ {2}\w+ {2})[\w-]{8}(?=$| {2})/gm, "$1<id>"],
  [/tm_[\w-]{43}/g, "<token>"],
  [/(?<= time=")[\d.]+/g, "0.012"],
  [/^(<time>,.*,)\d+(?=,[^,]*$)/gm, "$1<ms>"],
  [/(?<=\((?:\w+ [\d.]+, )*\w+ )\d+\.\d(?=[,)])/g, "1.2"],
  [/127\.0\.0\.1:\d{4,}/g, "127.0.0.1:8000"],
];
