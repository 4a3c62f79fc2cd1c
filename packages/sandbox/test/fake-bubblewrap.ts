import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { namesOf } from "../src/system/escape-table.ts";

/** A program in place of bubblewrap. It notes how it was started, then runs a script of the shell. */
export function bubblewrap(script: string) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-report-")));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const [home, words] = [join(folder, "home"), join(folder, "words")];
  mkdirSync(home);
  // As in a sandbox, the descriptor of the filter has to be read.
  const note = `printf '%s\\0' "$@" > ${words}; /usr/bin/env > ${folder}/env; cat <&4 > ${folder}/filter`;
  writeFileSync(join(folder, "bwrap"), `#!/bin/sh\n${note}\n${script}\n`, { mode: 0o755 });
  const readNoted = (name: string) => readFileSync(join(folder, name), "utf8");
  return {
    folder,
    home,
    env: { PATH: `${folder}:/usr/bin:/bin`, HOME: home },
    words: () => readNoted("words").split("\0").slice(0, -1),
    variables: () => readNoted("env").trim().split("\n"),
    runs: () => existsSync(words),
    forget: () => rmSync(words, { force: true }),
  };
}

/** A script that reports these ends of attempts. */
export const reporting = (report: Readonly<Record<string, string | null>>) =>
  `cat <<'END'\n${JSON.stringify(report)}\nEND`;

export const allStopped = (kind: "closed" | "online" | "wall" | "offline") =>
  Object.fromEntries(namesOf(kind).map((name) => [name, null]));
