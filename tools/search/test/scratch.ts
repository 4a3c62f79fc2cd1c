import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";

/** A folder of its own. */
export function plantBase(): { base: string; remove: () => void } {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-search-")));
  return { base, remove: () => rmSync(base, { recursive: true, force: true }) };
}

/** A folder of its own for one test, gone afterwards. */
export function scratch(files: Readonly<Record<string, string | Buffer>> = {}) {
  const { base, remove } = plantBase();
  onTestFinished(remove);
  const path = (name: string) => join(base, name);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), content);
  }
  return { base, path };
}
