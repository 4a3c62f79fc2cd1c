import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { sandboxMounts, wallMounts } from "../src/index.ts";

/** A folder with files, folders and a link, and the arguments about it, with `~` for the folder. */
function tree() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-mounts-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  for (const folder of ["work/a/b", "docs", "keys/open"]) mkdirSync(join(base, folder), { recursive: true });
  for (const file of ["work/plan.yaml", "work/a/b/c.txt", "keys/k.pem", "token"])
    writeFileSync(join(base, file), "x");
  symlinkSync("keys", join(base, "linked"));
  const at = (name: string) => (name.startsWith("/") ? name : join(base, name));
  const own = (words: readonly string[]) => {
    const from = words.findIndex((word) => word.includes(base));
    const shown = words.slice(from - 1).map((word) => word.replaceAll(base, "~"));
    const end = shown.indexOf("--proc");
    return end < 0 ? shown.join(" ") : shown.slice(0, end).join(" ");
  };
  return { at, own };
}

type Given = Partial<Record<"read" | "readIfThere" | "write" | "denied" | "secret", readonly string[]>>;

test.runIf(process.platform === "linux").each<[Given, string]>([
  [{}, "--dir ~/work"],
  [
    { read: ["docs"], readIfThere: ["gone"] },
    "--dir ~/work --ro-bind ~/docs ~/docs --ro-bind-try ~/gone ~/gone",
  ],
  [{ write: ["work"] }, "--dir ~/work --bind ~/work ~/work"],
  [
    { write: ["work"], denied: ["work/plan.yaml", "work/gone", "docs"] },
    "--dir ~/work --bind ~/work ~/work --ro-bind-try ~/work/plan.yaml ~/work/plan.yaml",
  ],
  [
    { write: ["work"], denied: ["work/a/b/c.txt", "work/a/b"] },
    "--dir ~/work --bind ~/work ~/work --bind ~/work/a ~/work/a --bind ~/work/a/b ~/work/a/b --ro-bind-try ~/work/a/b/c.txt ~/work/a/b/c.txt --ro-bind-try ~/work/a/b ~/work/a/b",
  ],
  [
    { read: ["keys"], secret: ["keys/k.pem", "keys/gone"] },
    "--dir ~/work --ro-bind ~/keys ~/keys --ro-bind /dev/null ~/keys/k.pem",
  ],
  [{ read: ["docs"], secret: ["keys"] }, "--dir ~/work --ro-bind ~/docs ~/docs"],
  [{ read: ["keys"], secret: ["keys"] }, "--dir ~/work --ro-bind ~/keys ~/keys"],
  [
    { read: ["keys"], secret: ["linked/k.pem"] },
    "--dir ~/work --ro-bind ~/keys ~/keys --ro-bind /dev/null ~/keys/k.pem",
  ],
  [
    { read: ["linked"], secret: ["keys/k.pem"] },
    "--dir ~/work --ro-bind ~/linked ~/linked --ro-bind /dev/null ~/linked/k.pem",
  ],
  [
    { write: ["work"], secret: ["work/a/b"] },
    "--dir ~/work --bind ~/work ~/work --bind ~/work/a ~/work/a --tmpfs ~/work/a/b --remount-ro ~/work/a/b",
  ],
  [
    { read: [".", "keys/open"], write: ["keys/open"], secret: ["keys"] },
    "--dir ~/work --ro-bind ~ ~ --ro-bind ~/keys/open ~/keys/open --bind ~/keys/open ~/keys/open --tmpfs ~/keys --ro-bind-try ~/keys/open ~/keys/open --bind ~/keys/open ~/keys/open --remount-ro ~/keys",
  ],
])("a sandbox with %j mounts: %s", (given, words) => {
  const { at, own } = tree();
  const paths = Object.fromEntries(Object.entries(given).map(([key, all]) => [key, all.map(at)]));
  const mounts = sandboxMounts({
    cwd: at("work"),
    read: [],
    write: [],
    denied: [],
    network: false,
    ...paths,
  });

  expect(own(mounts)).toBe(words);
});

test("a sandbox has bounded folders in memory, and a root that cannot be written unless it is granted", () => {
  const plain = { cwd: "/w", read: [], write: [], denied: [], network: false };
  const text = (more: object) => sandboxMounts({ ...plain, ...more }).join(" ");

  expect(text({})).toContain(" --size 1073741824 --tmpfs /tmp --dir /w ");
  expect(text({})).toMatch(
    / --dev \/dev --size 1073741824 --tmpfs \/dev\/shm --remount-ro \/dev --remount-ro \/$/,
  );
  expect(text({ memoryMb: 2 })).toContain(" --size 2097152 --tmpfs /tmp --dir /w ");
  expect(text({ memoryMb: 2 })).toContain(" --size 2097152 --tmpfs /dev/shm ");
  expect(text({ write: ["/"] })).toMatch(/ --remount-ro \/dev$/);
});

const wall = { cwd: "work", write: [], denied: [], secret: [], read: [], temporary: "/tmp-of-plan" };

test.runIf(process.platform === "linux").each<[Given, string]>([
  [{}, "--bind ~/work ~/work"],
  [{ write: ["docs"] }, "--bind ~/work ~/work --bind ~/docs ~/docs"],
  [{ denied: ["work/plan.yaml"] }, "--bind ~/work ~/work --ro-bind-try ~/work/plan.yaml ~/work/plan.yaml"],
  [{ secret: ["work/plan.yaml"] }, "--bind ~/work ~/work --ro-bind /dev/null ~/work/plan.yaml"],
])("a wall with %j mounts: %s", (given, words) => {
  const { at, own } = tree();
  const paths = Object.fromEntries(Object.entries(given).map(([key, all]) => [key, all.map(at)]));
  const mounts = wallMounts({ ...wall, cwd: at("work"), ...paths });

  expect(mounts.slice(0, 8).join(" ")).toMatch(
    /^--unshare-pid --unshare-ipc --unshare-uts --unshare-cgroup-try --ro-bind \/ \/ /,
  );
  expect(mounts.join(" ")).toContain(
    " --size 1073741824 --tmpfs /run --ro-bind-try /run/systemd/resolve /run/systemd/resolve --ro-bind-try /run/current-system /run/current-system --bind /tmp-of-plan /tmp ",
  );
  expect(own(mounts)).toBe(words);
});

test.runIf(tmpdir() === "/tmp")(
  "a wall grants what it may read of the machine's /tmp and /run, and hides no secret that is not there",
  () => {
    const { at, own } = tree();
    const mounts = wallMounts({
      ...wall,
      cwd: at("work"),
      read: [at("docs"), "/run/x", "/etc"],
      secret: [at("token")],
    });

    expect(own(mounts)).toBe("--ro-bind-try ~/docs ~/docs --ro-bind-try /run/x /run/x --bind ~/work ~/work");
  },
);

test.runIf(existsSync("/etc/passwd"))("a wall hides a secret file of the system, which it would show", () => {
  const real = realpathSync("/etc/passwd");
  const words = (more: object) => wallMounts({ ...wall, cwd: "/no/work", ...more }).join(" ");

  expect(words({ secret: ["/etc/passwd"] })).toContain(` --ro-bind /dev/null ${real}`);
  expect(words({ secret: ["/etc/passwd"], read: ["/etc/passwd"] })).not.toContain("/dev/null /etc/");
  expect(words({ secret: ["/run/gone", "/tmp/gone"] })).toBe(words({}));
});
