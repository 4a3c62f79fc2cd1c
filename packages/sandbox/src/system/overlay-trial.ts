import { findProgram } from "./bubblewrap.ts";
import { namespaceProblem } from "./namespace-settings.ts";
import { runInSandbox } from "./start-sandbox.ts";

/** Options of `unshare` for the namespaces of a layer's view. */
export const viewNamespaces =
  "--user --map-root-user --mount --propagation private --pid --fork --kill-child".split(" ");

/** Problem when the kernel shows a layer read-only, because it cannot make a folder for its own work. */
export const readOnly = "it can only be read; is the disk full?";

/**
 * Script that tries what a layer needs: deletes a file, and deletes a folder and makes it again, also after a second mount. It
 * does not use the shell's own echo, which does not report that the disk is full.
 */
const trial = `
set -e
mkdir -p low/folder up work view
seq 1 > low/file
seq 2 > low/folder/before
show() { mount -t overlay toolmount -o lowerdir=low,upperdir=up,workdir=work,userxattr view; }
show
touch view/probe 2> /dev/null || { echo "${readOnly}" >&2; exit 1; }
rm view/file
rm -r view/folder
mkdir view/folder
seq 3 > view/folder/after
umount view
show
test ! -e view/file
test "$(ls view/folder)" = after
umount view
`;

/** Mounts an overlay in an empty folder and changes it. Returns why the kernel cannot have layers, or undefined. */
export async function mountOverlayOnce(
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
): Promise<string | undefined> {
  const unshare = findProgram("unshare", env["PATH"]);
  if (unshare === undefined) return "unshare is not on PATH; install the package util-linux";
  const words = [...viewNamespaces, "/bin/sh", "-c", trial];
  const { stderr, code } = await runInSandbox(
    { file: unshare, args: words, env: { PATH: env["PATH"] ?? "" }, filter: undefined },
    { cwd, timeoutMs: 30_000 },
  );
  if (code === 0) return undefined;
  const said = stderr.trim().split("\n")[0] || "the kernel shows a wrong folder";
  return `an overlay of a user does not work here: ${namespaceProblem(said)}`;
}
