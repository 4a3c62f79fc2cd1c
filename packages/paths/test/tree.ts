import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from "node:fs";
import { lstatSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { RootRules } from "@toolmount/paths";

/** The kinds of descriptors that this system has. */
export const disks = existsSync("/proc/self/fd") ? (["proc", "plain"] as const) : (["plain"] as const);

/** In every file outside the roots: no answer may hold it. */
export const canary = "OUTSIDE-4417";

/** Files inside the roots, by path below the base; each holds `INSIDE` and its own path. */
const inside = [
  "work/readme.txt",
  "work/notes/todo.md",
  "work/notes/deep/a/b/c.txt",
  "work/with space/file name.txt",
  "work/\u00fcml\u00e4ut/na\u00efve.txt",
  "work/nfd/e\u0301te\u0301.txt",
  "work/\u4e2d\u6587/\u8aac\u660e.txt",
  "work/..hidden/x.txt",
  "work/.../x.txt",
  "work/a..b/file..txt",
  "work/%2e%2e/x.txt",
  "work/..%2fsecret",
  "work/~/x.txt",
  "work/~root",
  "work/$HOME/x.txt",
  "work/${HOME}",
  "work/$(id)",
  "work/`id`",
  "work/back\\slash.txt",
  "work/..\\secret",
  "work/-rf",
  "work/--",
  "work/new\nline.txt",
  "work/[set]/f{1,2}.txt",
  "work/*",
  "work/?",
  "work/file:/etc/x.txt",
  "work/C:/x.txt",
  "work/con",
  "work/a.txt:stream",
  "work/trailing. ",
  "work/\u{1f600}.txt",
  "work/secret/decoy.txt",
  "work/.git/config",
  "work/plan.yaml",
  "work/tree/one.txt",
  "work/tree/sub/two.txt",
  "work/nested/root/file.txt",
  "docs/guide.md",
  "real-root/file.txt",
];

const outside = [
  "secret/secret.txt",
  "secret/sub/deep.txt",
  "work-evil/evil.txt",
  "work2/x.txt",
  "WORK/case.txt",
  "work .txt",
  "docs-private/p.txt",
];

/** Links below the base, and what each says. `{T}` is the base. */
const links: Readonly<Record<string, string>> = {
  "work/in.txt": "notes/todo.md",
  "work/in-dir": "notes",
  "work/in-abs": "{T}/work/notes",
  "work/in-chain": "in-dir",
  "work/in-dangling": "notes/not-yet.txt",
  "work/self": ".",
  "work/up": "..",
  "work/out.txt": "../secret/secret.txt",
  "work/out-abs.txt": "{T}/secret/secret.txt",
  "work/out-dir": "../secret",
  "work/out-sibling": "../work-evil",
  "work/out-chain1": "out-chain2",
  "work/out-chain2": "out-dir",
  "work/out-dangling": "../secret/not-yet.txt",
  "work/out-dangling-dir": "../secret/not-yet",
  "work/out-dangling-chain": "out-dangling",
  "work/out-etc": "/etc",
  "work/out-root": "/",
  "work/out-proc-root": "/proc/self/root",
  "work/out-proc-cwd": "/proc/self/cwd",
  "work/out-zero": "/dev/zero",
  "work/loop-a": "loop-b",
  "work/loop-b": "loop-a",
  "work/loop-self": "loop-self",
  "work/loop-out": "../secret/loop",
  "secret/loop": "loop",
  "work/git-link": ".git",
  "work/docs-link": "../docs",
  "work/notes/out": "../../secret/secret.txt",
  "work/notes/out-via-in": "../out-dir/secret.txt",
  "work/tree/out-dir": "../../secret",
  "work/tree/out.txt": "../../secret/secret.txt",
  "work/tree/sub/up": "../../..",
  "docs/to-work": "../work/readme.txt",
  "docs/to-secret": "../secret/secret.txt",
  "alias-root": "real-root",
  "real-root/up": "..",
};

export interface Tree {
  readonly base: string;
  readonly rules: RootRules;
  /** Puts the base into a path. */
  fill(path: string): string;
  /** A digest of all that lies outside the writable roots: names, links, modes and bytes. */
  outside(): string;
  remove(): void;
}

/** Lays out a tree with roots, links in all directions, and secrets beside them. */
export function plantTree(): Tree {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-paths-")));
  const fill = (path: string) => path.replaceAll("{T}", base);
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  for (const path of inside) put(path, `INSIDE ${path}\n`);
  for (const path of outside) put(path, `${canary} ${path}\n`);
  for (const [path, target] of Object.entries(links)) symlinkSync(fill(target), join(base, path));
  mkdirSync(join(base, "work/empty-dir"));
  chmodSync(join(base, "work/-rf"), 0o640);
  plantPipe(join(base, "work/pipe"));
  return {
    base,
    fill,
    rules: {
      workingDir: join(base, "work"),
      read: ["work", "docs", "alias-root"].map((path) => join(base, path)),
      write: ["work", "alias-root", "work/nested/root"].map((path) => join(base, path)),
      deniedWrite: ["work/.git", "work/plan.yaml"].map((path) => join(base, path)),
    },
    outside: () => digestOf(base),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

function plantPipe(path: string): void {
  execFileSync("mkfifo", [path]);
}

function digestOf(base: string): string {
  const hash = createHash("sha256").update(readdirSync(base).toSorted().join("\0"));
  const visit = (path: string) => {
    const stat = lstatSync(path);
    hash.update(`${path}\0${stat.mode}\0`);
    if (stat.isSymbolicLink()) hash.update(readlinkSync(path));
    else if (stat.isFile()) hash.update(readFileSync(path));
    else if (stat.isDirectory()) for (const name of readdirSync(path).toSorted()) visit(join(path, name));
  };
  const kept = ["docs", "secret", "work-evil", "work2", "WORK", "work .txt", "docs-private", "work/.git"];
  for (const path of [...kept, "work/plan.yaml"]) visit(join(base, path));
  return hash.digest("hex");
}
