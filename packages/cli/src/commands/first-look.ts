import { findServerLists, isDirect, type FoundList } from "../clients/found-servers.ts";
import { findTexts } from "../clients/found-texts.ts";
import { readOutlook } from "./plan-outlook.ts";
import { findToolPackages } from "../install/tool-packages.ts";
import { choose } from "../process/choose.ts";
import type { Shell } from "../process/shell.ts";
import { withStatus } from "../process/with-status.ts";
import { printable } from "../screen/printable.ts";
import { writeLook, type Look } from "./first-look-lines.ts";

/**
 * Runs `toolmount` without a command: shows what exists here, what it may do, and what to do next. Starts no server and writes no
 * file. At a terminal, a key chooses the next command, whose words are returned. Null if none was chosen.
 */
export async function takeFirstLook(shell: Shell): Promise<readonly string[] | null> {
  const look = await withStatus(shell, "looking around", lookAround);
  await writeLook(look, shell);
  const steps = stepsFor(look);
  if (shell.terminal !== undefined && shell.out.columns !== undefined) return askNext(steps, shell);
  writeSteps(steps, shell);
  return null;
}

async function lookAround(shell: Shell): Promise<Look> {
  const [plan, lists, texts, packages] = await Promise.all([
    readOutlook(shell),
    findServerLists(shell, process.argv[1]),
    findTexts(shell),
    findToolPackages(shell.cwd),
  ]);
  return { plan, lists, texts, packages };
}

/** A command that a person may want next. */
interface Step {
  readonly key: string;
  readonly words: readonly string[];
  readonly what: string;
}

function stepsFor({ plan, lists }: Look): readonly Step[] {
  const guard = guardStep(lists);
  if (plan === undefined)
    return [...guard, { key: "m", words: ["init"], what: "a plan, with a first tool of your own" }];
  if (plan.problems > 0) return [{ key: "c", words: ["check"], what: "every problem of the plan" }];
  const answer = { key: "a", words: ["approvals"], what: "answer the calls that wait" };
  return [
    ...(plan.waiting === 0 ? [] : [answer]),
    ...guard,
    { key: "l", words: ["list"], what: "its tools" },
    { key: "o", words: ["serve", "--http"], what: "open the page where people approve calls" },
  ];
}

/**
 * Returns the step for servers that run without a plan: `guard` for a list that it can write, `import` for any other list. Empty
 * if there are no such servers.
 */
function guardStep(lists: readonly FoundList[]): readonly Step[] {
  const open = lists.filter(({ servers }) => servers.some(isDirect));
  const [first] = [...open.filter(({ isGuarded }) => isGuarded), ...open];
  if (first === undefined) return [];
  const words = first.isGuarded ? ["guard", first.client] : ["import", first.file];
  return [{ key: "g", words, what: "see their tools, put a plan before" }];
}

function writeSteps(steps: readonly Step[], { out }: Shell): void {
  out.line("Next:");
  const all = [...steps, { words: ["--help"], what: "the commands" }];
  const commands = all.map(({ words }) => printable(`toolmount ${words.join(" ")}`));
  const width = Math.max(...commands.map((command) => command.length)) + 2;
  for (const [at, { what }] of all.entries())
    out.line(`  ${out.paint("cyan", commands[at]!.padEnd(width))}${what}`);
}

async function askNext(steps: readonly Step[], { err, terminal }: Shell): Promise<readonly string[] | null> {
  const choices = steps.map(({ key, words, what }) => ({
    value: words,
    key,
    label: printable(`toolmount ${words.join(" ")}`),
    hint: what,
  }));
  const leave = { value: null, key: "q", label: "Leave" };
  const chosen = await choose(err, terminal!, { message: "What next?", choices: [leave, ...choices] });
  return chosen ?? null;
}
