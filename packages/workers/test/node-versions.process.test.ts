import { execFile, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";

/** A workspace of its own, because the package has a program named `node`. */
const workspace = new URL("../../../test/nodes/package.json", import.meta.url);

/** Node 26 is an optional package: it has a program for Linux on x64 only. CI runs the other versions. */
function findNode26(): string | undefined {
  try {
    return join(dirname(createRequire(workspace).resolve("node-26/package.json")), "bin", "node");
  } catch {
    return undefined;
  }
}

const nodes = [
  ["Node of this process", process.execPath],
  ["Node 26", findNode26()],
] as const;

/** In CI bubblewrap is always there. */
const sandboxIsTested =
  process.env["CI"] !== undefined || spawnSync("bwrap", ["--version"]).error === undefined;

let folder: string;
let server: Server;
let port: number;

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-nodes-")));
  for (const name of ["box", "outside"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "box", "inside.txt"), "inside");
  writeFileSync(join(folder, "outside", "secret.txt"), "secret");
  symlinkSync(join(folder, "outside", "secret.txt"), join(folder, "box", "link"));
  server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  port = (server.address() as AddressInfo).port;
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const [title, node] of nodes)
  test.skipIf(node === undefined)(
    `${title}: the permission border keeps files, programs and signals, and the network from Node 25 on`,
    async () => {
      const program = fileURLToPath(new URL("border-attempts.ts", import.meta.url));
      const words = [program, join(folder, "box"), join(folder, "outside"), String(port)];
      const ran = await promisify(execFile)(node!, [
        "--conditions=@toolmount/source",
        "--inspect-port=0",
        ...words,
      ]);
      const { node: version, reached, withoutNetwork, isInspected } = JSON.parse(ran.stdout) as Attempts;

      const coversNetwork = Number.parseInt(version, 10) >= 25;
      expect({ reached, withoutNetwork, isInspected }).toEqual({
        reached: {
          "read outside": false,
          "write outside": false,
          "follow a link outside": true,
          "read inside": true,
          "write inside": true,
          spawn: false,
          connect: !coversNetwork,
          sqlite: false,
          signal: false,
        },
        isInspected: false,
        withoutNetwork: coversNetwork ? "opened" : "SANDBOX_UNAVAILABLE",
      });
    },
  );

for (const [title, node] of nodes)
  test.skipIf(node === undefined || !sandboxIsTested)(
    `${title}: runs in a sandbox with its filter of system calls, and stops each attempt to break out`,
    async () => {
      const program = `
        import { proveSandbox } from "@toolmount/sandbox";
        const proof = await proveSandbox({ kind: "closed", env: { PATH: process.env.PATH } });
        console.log(JSON.stringify(proof));`;
      const words = ["--conditions=@toolmount/source", "--input-type=module", "--eval", program];
      const { stdout } = await promisify(execFile)(node!, words, { cwd: import.meta.dirname });

      expect(JSON.parse(stdout)).toMatchObject({
        problem: null,
        stopped: expect.arrayContaining(["read a file that is not granted"]),
      });
    },
  );

interface Attempts {
  readonly node: string;
  readonly reached: Readonly<Record<string, boolean>>;
  readonly withoutNetwork: string;
  /** Whether a signal opened the inspector of the host. */
  readonly isInspected: boolean;
}
