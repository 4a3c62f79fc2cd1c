import { createFiles, isPathError, type Files } from "@toolmount/paths";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { canary, disks, plantTree, type Tree } from "./tree.ts";

/** Ways out of the roots. `exists` is there, `missing` is not; both must be refused with the same words. */
const waysOut: readonly { why: string; exists: string; missing: string }[] = [
  { why: "dots above the working folder", exists: "../secret/secret.txt", missing: "../secret/nope.txt" },
  {
    why: "dots above everything",
    exists: "../../../../../../../etc/passwd",
    missing: "../../../../../../../etc/nope",
  },
  {
    why: "dots after a folder inside",
    exists: "notes/../../secret/secret.txt",
    missing: "notes/../../secret/nope",
  },
  {
    why: "dots after a folder that is not there",
    exists: "nope/../../secret/secret.txt",
    missing: "nope/../../secret/n",
  },
  { why: "a dot before the dots", exists: "./../secret/secret.txt", missing: "./../secret/nope" },
  { why: "doubled slashes", exists: "..//secret///secret.txt", missing: "..//secret///nope" },
  { why: "the parent itself", exists: "..", missing: "../nope" },
  { why: "a slash at the end", exists: "../secret/", missing: "../nope/" },
  { why: "a sibling with the same prefix", exists: "../work-evil/evil.txt", missing: "../work-evil/nope" },
  { why: "a sibling with a digit more", exists: "{T}/work2/x.txt", missing: "{T}/work2/nope" },
  { why: "a sibling with a space more", exists: "{T}/work .txt", missing: "{T}/work .nope" },
  { why: "a sibling in capitals", exists: "{T}/WORK/case.txt", missing: "{T}/WORK/nope" },
  { why: "a sibling of the second root", exists: "{T}/docs-private/p.txt", missing: "{T}/docs-private/nope" },
  { why: "an absolute path", exists: "{T}/secret/secret.txt", missing: "{T}/secret/nope" },
  {
    why: "an absolute path with dots",
    exists: "{T}/work/../secret/secret.txt",
    missing: "{T}/work/../secret/nope",
  },
  { why: "the base of the roots", exists: "{T}", missing: "{T}/nope" },
  { why: "a system file", exists: "/etc/passwd", missing: "/etc/nope" },
  { why: "the root of all", exists: "/", missing: "/nope" },
  { why: "the environment of this process", exists: "/proc/self/environ", missing: "/proc/self/nope" },
  { why: "the memory of this process", exists: "/proc/self/mem", missing: "/proc/self/men" },
  { why: "a descriptor of this process", exists: "/proc/self/fd/0", missing: "/proc/self/fd/99999" },
  { why: "a device", exists: "/dev/zero", missing: "/dev/nope" },
  { why: "a link to a file", exists: "out.txt", missing: "out-dangling" },
  { why: "an absolute link to a file", exists: "out-abs.txt", missing: "out-dangling-chain" },
  { why: "a link to a folder", exists: "out-dir/secret.txt", missing: "out-dir/nope" },
  { why: "below a link to a folder", exists: "out-dir/sub/deep.txt", missing: "out-dir/sub/nope" },
  { why: "dots below a link", exists: "out-dir/sub/../sub/deep.txt", missing: "out-dir/sub/../sub/nope" },
  { why: "slashes after a link", exists: "out-dir//secret.txt", missing: "out-dir//nope" },
  { why: "a link and a slash", exists: "out-dir/", missing: "out-dangling-dir/" },
  { why: "below a link that dangles", exists: "out-dir/sub", missing: "out-dangling-dir/deeper/still" },
  { why: "a link to the parent", exists: "up/secret/secret.txt", missing: "up/secret/nope" },
  {
    why: "a link to the parent, twice",
    exists: "up/work/up/secret/secret.txt",
    missing: "up/work/up/secret/nope",
  },
  {
    why: "a link to the parent and a sibling",
    exists: "up/work-evil/evil.txt",
    missing: "up/work-evil/nope",
  },
  { why: "a link to a sibling", exists: "out-sibling/evil.txt", missing: "out-sibling/nope" },
  { why: "a chain of links", exists: "out-chain1/secret.txt", missing: "out-chain1/nope" },
  { why: "a link in a folder inside", exists: "notes/out", missing: "out-chain2/nope" },
  { why: "a link through another link", exists: "notes/out-via-in", missing: "out-chain1/sub/nope" },
  { why: "a link that comes in by a link", exists: "in-dir/out", missing: "in-chain/../../secret/nope" },
  { why: "a link to a system folder", exists: "out-etc/passwd", missing: "out-etc/nope" },
  { why: "a link to the root of all", exists: "out-root/etc/passwd", missing: "out-root/etc/nope" },
  {
    why: "a link to this process's root",
    exists: "out-proc-root/etc/passwd",
    missing: "out-proc-root/etc/nope",
  },
  {
    why: "a link to this process's folder",
    exists: "out-proc-cwd/package.json",
    missing: "out-proc-cwd/nope",
  },
  { why: "a link to a device", exists: "out-zero", missing: "out-root/dev/nope" },
  { why: "a link into a loop outside", exists: "loop-out", missing: "loop-out/nope" },
  { why: "a link in another root", exists: "{T}/docs/to-secret", missing: "{T}/docs/../secret/nope" },
  {
    why: "a link in a root that is a link",
    exists: "{T}/alias-root/up/secret/secret.txt",
    missing: "{T}/alias-root/up/secret/nope",
  },
  {
    why: "a link in that root, by its real name",
    exists: "{T}/real-root/up/secret",
    missing: "{T}/real-root/up/nope",
  },
];

type Act = (files: Files, path: string) => Promise<unknown>;

const acts: Readonly<Record<string, Act>> = {
  read: (files, path) => files.read(path, 1_000_000),
  list: (files, path) => files.list(path, { offset: 0, limit: 1000 }),
  look: (files, path) => files.look(path, ["secret.txt", "sub"]),
  write: (files, path) => files.replace(path, Buffer.from("planted")),
  "make a folder": (files, path) => files.makeFolder(path),
  remove: (files, path) => files.remove(path, { recursive: false }),
  "remove with all in it": (files, path) => files.remove(path, { recursive: true }),
  "move away": (files, path) => files.move(path, "stolen", { overwrite: true }),
  "locate an entry": (files, path) => files.locateEntry(path),
  mark: (files, path) => files.mark(path, 1_000_000),
  "take a snapshot": (files, path) => files.snapshot(path, { maxBytes: 1_000_000, folders: true }),
  restore: (files, path) => files.restore(path, { kind: "file", mode: 0o644, text: "planted" }),
  "restore a link": (files, path) => files.restore(path, { kind: "link", target: "planted" }),
  "move there": (files, path) => files.move("readme.txt", path, { overwrite: true }),
};

describe.each(disks)("by %s descriptors", (disk) => {
  let tree: Tree;
  let files: Files;
  let before: string;

  beforeAll(() => {
    tree = plantTree();
    files = createFiles(tree.rules, { disk });
    before = tree.outside();
  });

  afterAll(() => tree.remove());

  const cases = waysOut.flatMap((way) => Object.keys(acts).map((act) => ({ ...way, act })));

  test.each(cases)(
    "$act: $why is refused, whether anything is there or not",
    async ({ act, exists, missing }) => {
      const there = await refusal(acts[act]!, tree.fill(exists));
      const absent = await refusal(acts[act]!, tree.fill(missing));

      expect(there.code).toBe("ACCESS_DENIED");
      expect(absent).toEqual(there);
      expect(tree.outside()).toBe(before);
    },
  );

  /** The code and the words of a refusal, with the path taken out. */
  async function refusal(act: Act, path: string): Promise<{ code: string; words: string }> {
    const answer = await act(files, path).catch((thrown: unknown) => thrown);
    expect(JSON.stringify(answer)).not.toContain(canary);
    if (!isPathError(answer)) return { code: "none", words: JSON.stringify(answer) };
    return { code: answer.code, words: answer.message.replace(path, "…") };
  }
});
