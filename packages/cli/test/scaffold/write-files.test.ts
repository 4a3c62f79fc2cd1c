import { access, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeFiles } from "../../src/scaffold/write-files.ts";
import { workspace } from "../support/workspace.ts";

test("new files are written all or, if one is there already, none", async () => {
  const { folder } = await workspace({ "b.txt": "theirs" });

  await expect(writeFiles(folder, { "sub/a.txt": "a", "b.txt": "b" })).rejects.toMatchObject({
    code: "EEXIST",
  });

  expect(await readFile(join(folder, "b.txt"), "utf8")).toBe("theirs");
  await expect(access(join(folder, "sub/a.txt"))).rejects.toMatchObject({ code: "ENOENT" });
});
