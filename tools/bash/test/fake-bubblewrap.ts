import { realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { scratch } from "./world.ts";

/** The environment of a bubblewrap that holds: it reports that all attempts were stopped. `body` is what it does with a command. */
export function fakeBubblewrap(body: string) {
  const folder = realpathSync(scratch());
  const report =
    "const { names } = JSON.parse(process.argv[1]); console.log(JSON.stringify(Object.fromEntries(names.map((name) => [name, null]))))";
  const script = `#!/bin/sh
cat <&4 >/dev/null
case "$*" in *--eval*) for last; do :; done; exec ${process.execPath} -e '${report}' "$last" ;; esac
${body}
`;
  writeFileSync(join(folder, "bwrap"), script, { mode: 0o755 });
  return { PATH: `${folder}:/usr/bin:/bin`, HOME: folder };
}

/** Runs the command as bubblewrap would, and reports its end. */
export const works = `while [ "$1" != -- ]; do shift; done; shift; "$@"; code=$?; echo "{ \\"exit-code\\": $code }" >&3; exit $code`;
