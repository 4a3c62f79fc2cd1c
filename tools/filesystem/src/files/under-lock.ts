import type { Workspace } from "./workspace.ts";

/**
 * Changes a file when those that came before are done with it: by whatever path they named it, and of those that named
 * it alike, in order. `work` gets the real path of the file.
 */
export function inTurn<Value>(
  { files, turns }: Workspace,
  path: string,
  work: (real: string) => Promise<Value>,
): Promise<Value> {
  return turns.take(`given:${path}`, async () => {
    const { real } = await files.locate(path, "write");
    return await turns.take(`real:${real}`, () => work(real));
  });
}
