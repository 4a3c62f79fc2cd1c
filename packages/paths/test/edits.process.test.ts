import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";

/** Adds a line to a file as often as it is said, and prints how many of the writes were said to be made. */
const program = `
import { createFiles, isPathError } from "@toolmount/paths";
const [folder, name, times] = process.argv.slice(1);
const files = createFiles({ workingDir: folder, read: [folder], write: [folder] });
let made = 0;
for (let at = 0; at < Number(times); at++) {
  const { bytes, identity } = await files.read("list", 1e6);
  const text = Buffer.concat([bytes, Buffer.from(name + at + "\\n")]);
  await files.replace("list", text, { expected: identity }).then(
    () => made++,
    (thrown) => { if (!isPathError(thrown) || thrown.code !== "FILE_CHANGED") throw thrown; },
  );
}
console.log(made);
`;

test("of the writes of hosts that change one file at the same time, none that was made is lost", async () => {
  const folder = mkdtempSync(join(tmpdir(), "toolmount-edits-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "list"), "");
  const flags = ["-C", "@toolmount/source", "--input-type=module", "-e", program, folder];
  const hosts = ["a", "b", "c", "d"].map((name) =>
    promisify(execFile)(process.execPath, [...flags, name, "150"], { cwd: import.meta.dirname }),
  );
  const made = (await Promise.all(hosts)).map(({ stdout }) => Number(stdout));

  const lines = readFileSync(join(folder, "list"), "utf8").split("\n").slice(0, -1);
  expect(lines).toHaveLength(made.reduce((sum, one) => sum + one, 0));
  expect(Math.min(...made)).toBeGreaterThan(0);
  // The locks are elsewhere, and none is left.
  expect(readdirSync(folder)).toEqual(["list"]);
  const locks = join(tmpdir(), `toolmount-locks-${process.getuid?.() ?? -1}`);
  expect(existsSync(locks)).toBe(true);
});
