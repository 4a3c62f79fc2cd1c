import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readdir, rm, symlink } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import type { Server } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { onTestFinished } from "vitest";
import { noteService } from "../../packages/store/test/postgres.ts";
import type { OnDone } from "./release.ts";

/** What others published, kept between runs, so that the tests go on without a network once they ran with one. */
const fetched = join(import.meta.dirname, "../../.toolchain/registry");

/**
 * Starts a registry on loopback, gone after the test, or when `onDone` says. What is ours (`toolmount`, `create-toolmount`, `host-trial`, `@toolmount/*`, and strangers'
 * `toolmount-tool-*`) is only there; everything else it fetches from the registry that npm is configured for, once.
 */
export async function startRegistry(onDone: OnDone = onTestFinished): Promise<{ readonly url: string }> {
  const upstream = await requireUpstream();
  const storage = await mkdtemp(join(tmpdir(), "toolmount-registry-"));
  await mkdir(fetched, { recursive: true });
  await symlink(fetched, join(storage, "fetched"));
  const own = { access: "$all", publish: "$all", unpublish: "$all" };
  const { runServer } = (await import("verdaccio")) as unknown as {
    runServer(config: object): Promise<Server>;
  };
  const server = await runServer({
    storage,
    self_path: storage,
    auth: { htpasswd: { file: join(storage, "htpasswd") } },
    uplinks: {
      upstream: { url: upstream, timeout: "30s", maxage: "1d", max_fails: 20, fail_timeout: "1s" },
    },
    packages: {
      toolmount: own,
      "create-toolmount": own,
      "host-trial": own,
      "@toolmount/*": own,
      "toolmount-tool-*": own,
      "**": { access: "$all", proxy: "upstream", storage: "fetched" },
    },
    max_body_size: "50mb",
    web: { enable: false },
    log: { type: "stdout", format: "pretty", level: "fatal" },
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  noteService("npm registry (verdaccio)");
  onDone(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(storage, { recursive: true, force: true });
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/**
 * The registry that npm is configured for. Throws when it does not answer and nothing was fetched from it before:
 * without it npm cannot install anything.
 */
async function requireUpstream(): Promise<string> {
  const { stdout } = await promisify(execFile)("npm", ["config", "get", "registry"]);
  const url = stdout.trim();
  const answer = await fetch(new URL("zod", url), {
    method: "HEAD",
    signal: AbortSignal.timeout(15_000),
  }).catch((error: unknown) => error);
  if (answer instanceof Response && answer.ok) return url;
  const reason = answer instanceof Response ? `it answered ${answer.status}` : String(answer);
  const kept = await readdir(fetched).catch((): string[] => []);
  if (kept.includes("zod")) {
    process.stderr.write(
      `the npm registry cannot be used (${reason}); third-party packages are those of an earlier run\n`,
    );
    return url;
  }
  throw new Error(
    `the npm registry at ${url} cannot be used (${reason}); a stranger installs third-party packages from it, so this test needs it`,
  );
}
