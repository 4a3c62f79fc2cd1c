import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readSecret, readTokenFile, requireOutside, writeTokenFile } from "../../src/http/token-file.ts";

async function folder(): Promise<string> {
  const made = await realpath(await mkdtemp(join(tmpdir(), "toolmount-tokens-")));
  onTestFinished(() => rm(made, { recursive: true, force: true }));
  return made;
}

const record = {
  id: "t1",
  user: "ada",
  roles: ["call"],
  hash: "a".repeat(64),
  createdAt: "2026-01-01T00:00:00.000Z",
} as never;

test("a file of tokens is read as it was written, and is its owner's alone", async () => {
  const path = join(await folder(), "tokens.json");
  await writeTokenFile(path, [], null);
  await writeTokenFile(path, [], []);

  expect(await readTokenFile(path)).toEqual([]);
  expect((await stat(path)).mode & 0o777).toBe(0o600);
  expect(await readFile(path, "utf8")).toBe('{\n  "version": 1,\n  "tokens": []\n}\n');
});

test("a file of tokens that is not there is null", async () => {
  expect(await readTokenFile(join(await folder(), "tokens.json"))).toBeNull();
});

test("a file of tokens that cannot be written is refused, and leaves nothing behind", async () => {
  const at = await folder();
  await mkdir(join(at, "tokens.json"));

  await expect(writeTokenFile(join(at, "tokens.json"), [record], null)).rejects.toThrow(
    /tokens\.json is refused: it cannot be written: Is a directory/,
  );
  await expect(writeTokenFile(join(at, "tokens.json/none"), [record], [])).rejects.toThrow(
    /none is refused: it was changed meanwhile; run the command again/,
  );
  expect(await readdir(at)).toEqual(["tokens.json"]);
});

test.each([
  ["{", /it is not a file of tokens: .*JSON/],
  ['{"version":2,"tokens":[]}', /it is not a file of tokens: version/],
  ['{"version":1,"tokens":[{}]}', /it is not a file of tokens: tokens\[?\.?0/],
])("the text %s is no file of tokens", async (text, problem) => {
  const path = join(await folder(), "tokens.json");
  await writeFile(path, text, { mode: 0o600 });

  await expect(readTokenFile(path)).rejects.toThrow(problem);
});

test("a file of tokens is a regular file that no other user can read", async () => {
  const at = await folder();
  await writeTokenFile(join(at, "tokens.json"), [], null);
  await symlink("tokens.json", join(at, "link.json"));
  await expect(readTokenFile(join(at, "link.json"))).rejects.toThrow("it is not a regular file");
  await expect(readTokenFile(at)).rejects.toThrow("it is not a regular file");
  await expect(readTokenFile(join(at, "tokens.json/x"))).rejects.toThrow("ENOTDIR");

  await chmod(join(at, "tokens.json"), 0o604);
  await expect(readTokenFile(join(at, "tokens.json"))).rejects.toThrow(
    "others can read it; run: chmod 600 on it",
  );
});

test("a secret is the text of its file without the blanks around it", async () => {
  const at = await folder();
  await writeFile(join(at, "secret"), " s3cret\n", { mode: 0o600 });
  await writeFile(join(at, "blank"), " \n", { mode: 0o600 });

  expect(await readSecret(join(at, "secret"), [])).toBe("s3cret");
  for (const name of ["blank", "none"])
    await expect(readSecret(join(at, name), [])).rejects.toThrow(
      "it is not there, or empty; it holds a secret",
    );
  await expect(readSecret(join(at, "secret"), [at])).rejects.toThrow("below the plan's folder");
});

test("a file of tokens is not below a plan's folder, also by a link or under a name that begins with two dots", async () => {
  const at = await folder();
  const plan = join(at, "plan");
  await mkdir(join(plan, "..keep"), { recursive: true });
  await mkdir(join(at, "plan-tokens"));
  await symlink(plan, join(at, "other"));

  for (const inside of [
    "plan/tokens.json",
    "plan/..keep/tokens.json",
    "plan/none/tokens.json",
    "other/tokens.json",
  ])
    await expect(requireOutside(join(at, inside), [at + "/plan-tokens", join(at, "other")])).rejects.toThrow(
      "where tools write; keep it elsewhere",
    );
  for (const outside of ["tokens.json", "plan-tokens/tokens.json"])
    await requireOutside(join(at, outside), [plan]);
});
