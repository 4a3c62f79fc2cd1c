import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rolldown } from "rolldown";

/** A program as one file, and the environment that it starts fastest in. */
export interface OneFile {
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  remove(): Promise<void>;
}

/**
 * Bundles a program with the sources that it imports: what is killed hundreds of times had better start fast. Node keeps
 * the compiled code when a program ends by itself, so let it do that once before it is killed. Packages in `external`
 * stay outside, where their addresses say.
 */
export async function bundleProgram(
  input: string,
  external: Readonly<Record<string, string>>,
): Promise<OneFile> {
  const folder = await mkdtemp(join(tmpdir(), "toolmount-one-file-"));
  const bundle = await rolldown({
    input,
    platform: "node",
    resolve: { conditionNames: ["@toolmount/source", "node", "import"] },
    external: Object.keys(external),
    logLevel: "silent",
  });
  await bundle.write({
    dir: folder,
    format: "esm",
    entryFileNames: "program.mjs",
    chunkFileNames: "[name].mjs",
    paths: external,
  });
  await bundle.close();
  return {
    file: join(folder, "program.mjs"),
    env: { ...process.env, NODE_COMPILE_CACHE: join(folder, "cache") },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}
