import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { sandboxIsTested, scratch, shell } from "./world.ts";

const isLong = process.env["TOOLMOUNT_LONG"] === "1";

/** One of how many forms is run; all of them with TOOLMOUNT_LONG=1. */
const share = isLong ? 1 : 7;

const coreutils =
  "b2sum base32 base64 basename basenc cat chgrp chmod chown cksum comm cp csplit cut date dd df dir dircolors dirname du expand expr factor fmt fold head id install join link ln ls md5sum mkdir mkfifo mktemp mv nl numfmt od paste pathchk pr printenv printf ptx readlink realpath rm rmdir seq sha1sum sha256sum shred shuf sort split stat sum tac tail tee touch tr truncate tsort uname unexpand uniq unlink vdir wc grep diff cmp tar sed zip gzip xz".split(
    " ",
  );

/** With TOOLMOUNT_FUZZ set to names, only those. */
const chosen = process.env["TOOLMOUNT_FUZZ"]?.split(",");

const git =
  "add am apply archive blame branch bundle cat-file check-ignore cherry-pick clean clone commit describe diff diff-files diff-index diff-tree fetch format-patch fsck gc grep hash-object init log ls-files ls-remote ls-tree merge merge-base mv name-rev notes pack-refs prune pull push range-diff read-tree rebase reflog repack reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref stash status switch checkout symbolic-ref tag update-index update-ref verify-pack whatchanged worktree write-tree".split(
    " ",
  );

/** Files to work with, in a folder beside the folder that commands must not change. */
function world() {
  const root = scratch();
  const [inside, outside] = [join(root, "inside"), join(root, "outside")];
  for (const folder of [inside, join(inside, "sub"), outside]) mkdirSync(folder);
  for (const folder of [inside, outside])
    for (const name of ["a", "b"]) writeFileSync(join(folder, name), "one\ntwo\n");
  return { root, inside, outside };
}

/** Every option that a program names in its help. */
function optionsOf(text: string): readonly string[] {
  return [...new Set(text.match(/(?<![\w-])--?[A-Za-z0-9][\w-]*/g))].filter((option) => !/^-\d/.test(option));
}

function helpOf(name: string): string {
  const [program = "", ...rest] = name.split(" ");
  const flags =
    rest.length > 0
      ? [
          [...rest, "--git-completion-helper-all"],
          [...rest, "-h"],
        ]
      : [["--help"]];
  return flags
    .map((each) => spawnSync(program, each, { encoding: "utf8", timeout: 5_000, input: "" }))
    .map(({ stdout, stderr }) => `${stdout}\n${stderr}`)
    .join("\n");
}

/** Ways to give an option a path outside, and operands inside. */
function formsOf(name: string, option: string, outside: string): readonly string[] {
  const path = `${outside}/new`;
  const joined = option.startsWith("--") ? `${option}=${path}` : `${option}${path}`;
  const forms = [option, `${option} ${path}`, joined, `${option} ${outside}`];
  const abbreviated = option.startsWith("--") ? [`${option.slice(0, -1)}=${path}`] : [`-r${joined.slice(1)}`];
  return [...forms, ...abbreviated].flatMap((form) => [
    `${name} ${form} a b`,
    `${name} a b ${form}`,
    `${name} ${form}`,
  ]);
}

/** Names, modes and contents in a folder. */
function snapshot(folder: string): string {
  return readdirSync(folder, { recursive: true })
    .map(String)
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const stat = statSync(path, { throwIfNoEntry: false });
      const content = stat?.isFile() === true ? readFileSync(path, "latin1").slice(0, 10_000) : "";
      return `${name} ${stat?.mode} ${content}`;
    })
    .join("\n");
}

/** Runs commands where only the scratch folder can be written, each for at most a short time. */
function runAll(commands: readonly string[], root: string, inside: string): void {
  const script = commands
    .map((command) => `timeout -s KILL 0.5 ${command} </dev/null >/dev/null 2>&1`)
    .join("\n");
  const box = [
    "--ro-bind",
    "/",
    "/",
    "--bind",
    root,
    root,
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--unshare-all",
  ];
  spawnSync("bwrap", [...box, "--die-with-parent", "--chdir", inside, "bash", "-c", script], {
    timeout: 120_000,
    stdio: "ignore",
    env: { PATH: process.env["PATH"] ?? "", HOME: inside, GIT_CONFIG_NOSYSTEM: "1" },
  });
}

/** Commands that the policy lets run without a question and that changed the folder outside. */
function escapes(name: string): { ran: number; found: readonly string[] } {
  const { root, inside, outside } = world();
  if (name.startsWith("git "))
    spawnSync(
      "bash",
      [
        "-c",
        "git init -q . && git -c user.name=a -c user.email=a@b add . && git -c user.name=a -c user.email=a@b commit -qm x",
      ],
      { cwd: inside },
    );
  const tools = shell({ working_dir: inside, require_approval: false, safety_profile: "standard" });
  const forms = optionsOf(helpOf(name)).flatMap((option) => formsOf(name, option, outside));
  const unasked = forms.filter(
    (form, at) =>
      at % share === name.length % share && tools.judge(form).verdict === "allow" && !tools.asks(form),
  );
  const before = snapshot(outside);
  runAll(unasked, root, inside);
  if (snapshot(outside) === before) return { ran: unasked.length, found: [] };
  const found = unasked.filter((form) => {
    const fresh = world();
    const own = form.replaceAll(outside, fresh.outside);
    const was = snapshot(fresh.outside);
    runAll([own], fresh.root, fresh.inside);
    return snapshot(fresh.outside) !== was;
  });
  return { ran: unasked.length, found: found.length > 0 ? found : ["one of many, together"] };
}

/** Each starts thousands of programs, one after the other. */
const timeout = 3_600_000;

describe.runIf(sandboxIsTested)("options of known commands", { timeout }, () => {
  test("no option of coreutils that runs without a question writes outside the folders", () => {
    const results = (chosen ?? coreutils).map(escapes);

    expect(results.flatMap(({ found }) => found)).toEqual([]);
    expect(results.reduce((sum, { ran }) => sum + ran, 0)).toBeGreaterThan(300);
  });

  test("no option of git that runs without a question writes outside the folders", () => {
    const results = git.map((name) => escapes(`git ${name}`));

    expect(results.flatMap(({ found }) => found)).toEqual([]);
    expect(results.reduce((sum, { ran }) => sum + ran, 0)).toBeGreaterThan(300);
  });
});
