import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { SessionState } from "@toolmount/core";
import { onTestFinished } from "vitest";

/** A folder of its own for one test, gone afterwards. */
export function scratch(files: Readonly<Record<string, string | Buffer>> = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-files-")));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const path = (name: string) => join(base, name);
  const put = (name: string, content: string | Buffer) => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), content);
  };
  for (const [name, content] of Object.entries(files)) put(name, content);
  return {
    base,
    path,
    put,
    text: (name: string) => readFileSync(path(name), "utf8"),
    bytes: (name: string) => readFileSync(path(name)),
  };
}

/** A session's state, for tools that are called without a host. */
export function session(): SessionState {
  const values = new Map<string, never>();
  return {
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value as never),
    delete: (key) => values.delete(key),
  };
}
