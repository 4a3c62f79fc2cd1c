import { mkdtempSync, realpathSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { chooseDisk, openDirectory, openToRead, plainDisk } from "../src/disk.ts";
import { prepareRules } from "../src/rules.ts";

const strictDisk = chooseDisk();
const hasProc = strictDisk.kind === "proc";

function scratch() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-disk-")));
  onTestFinished(() => rmSync(base, { recursive: true }));
  writeFileSync(join(base, "a"), "a");
  writeFileSync(join(base, "b"), "b");
  return { base, a: join(base, "a"), b: join(base, "b") };
}

test.each([
  { title: "nothing happened", turn: () => {}, isAt: true },
  { title: "it was moved away", turn: ({ a, base }: Places) => renameSync(a, join(base, "c")), isAt: false },
  {
    title: "another took its name, and it is gone",
    turn: ({ a, b }: Places) => renameSync(b, a),
    isAt: "maybe",
  },
  {
    title: "it was moved and another took its name",
    turn({ a, b, base }: Places) {
      renameSync(a, join(base, "c"));
      renameSync(b, a);
    },
    isAt: false,
  },
  {
    title: "it was moved and a link took its name",
    turn({ a, base }: Places) {
      renameSync(a, join(base, "c"));
      symlinkSync("c", a);
    },
    isAt: false,
  },
])("after $title both disks know where an open file is", async ({ turn, isAt }) => {
  const places = scratch();
  const handle = await openToRead(places.a);
  onTestFinished(() => handle.close());
  turn(places);

  // A file that was replaced is still the one that was judged: only where inodes are compared it counts as another.
  expect(await strictDisk.isAt(handle, places.a)).toBe(isAt === "maybe" ? hasProc : isAt);
  expect(await plainDisk.isAt(handle, places.a)).toBe(isAt === "maybe" ? false : isAt);
});

type Places = ReturnType<typeof scratch>;

test("a folder above that became a link is noticed, wherever it leads", async () => {
  const { base } = scratch();
  const folder = join(base, "folder");
  renameSync(mkdtempSync(join(base, "x-")), folder);
  const handle = await openDirectory(folder);
  onTestFinished(() => handle.close());
  renameSync(folder, join(base, "moved"));
  symlinkSync("moved", folder);

  expect(await strictDisk.isAt(handle, folder)).toBe(false);
  expect(await plainDisk.isAt(handle, folder)).toBe(false);
});

test.each([
  { path: "/srv/app", may: true },
  { path: "/srv/app/a", may: true },
  { path: "/SRV/App/a", may: true },
  { path: "/srv/app-evil/a", may: false },
  { path: "/srv", may: false },
  { path: "/etc/passwd", may: false },
])("whether $path may lead inside is reported without touching the disk: $may", ({ path, may }) => {
  const rules = prepareRules({ workingDir: "/srv/app", read: ["/srv/app"], write: [] });

  expect(rules.mayLeadInside(path, "read")).toBe(may);
  expect(rules.mayLeadInside(path, "write")).toBe(false);
});
