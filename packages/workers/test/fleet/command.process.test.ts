import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { createServer, connect, type AddressInfo } from "node:net";
import { freePort } from "../../../store/test/postgres.ts";
import { sharedPostgres, startRedis } from "./servers.ts";

/** `npm test` builds first: the built command starts in less than half of the time. */
const isBuilt = process.env["TOOLMOUNT_TEST_BUILT"] === "1";
const main = `../../../cli/${isBuilt ? "dist/main.js" : "src/main.ts"}`;
const program = fileURLToPath(new URL(main, import.meta.url));
const words = isBuilt ? [program] : ["--conditions=@toolmount/source", program];

let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
let folder: string;

const tool = `
export const whoami = {
  name: "whoami",
  description: "Returns the id of the process that runs it. Use it in tests. Not for anything else.",
  schema: { type: "object", properties: {}, additionalProperties: false },
  category: "read",
  consequenceLevel: "low",
  requiresConfirmation: false,
  execute: async () => ({ data: { pid: process.pid } }),
};
`;

beforeAll(async () => {
  postgres = await sharedPostgres();
  folder = await mkdtemp(join(tmpdir(), "toolmount fleet "));
  await files({
    "whoami.js": tool,
    "package.json": '{ "type": "module" }',
    "plan.yaml": `state: ${await postgres.database("command")}
tools:
  - module: ./whoami.js
    run: { in: fleet, queue: far }
`,
  });
});

afterAll(async () => {
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
});

async function files(texts: Readonly<Record<string, string>>): Promise<void> {
  for (const [name, text] of Object.entries(texts)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
}

interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(...given: readonly string[]): Promise<Ran> {
  const ran = promisify(execFile)(process.execPath, [...words, ...given], { cwd: folder });
  return ran.then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    (error: Ran) => ({ code: error.code, stdout: error.stdout, stderr: error.stderr }),
  );
}

/** Starts a worker, and waits until it takes calls. */
async function startWorker(plan = "plan.yaml", queue = "far"): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...words, "worker", plan, "--json"], {
    cwd: folder,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  expect(JSON.parse(line)).toMatchObject({ ready: true, queue, tools: ["whoami"] });
  return child;
}

test("toolmount call runs the tool in the process of toolmount fleet work, and toolmount fleet shows it", async () => {
  const alone = await run("fleet", "plan.yaml");
  expect(alone.code).toBe(1);
  expect(alone.stdout).toContain("queue far: 0 workers, 0 running, 0 waiting");
  expect(alone.stdout).toContain("No worker has this plan's version of whoami");

  const worker = await startWorker();
  const called = await run("call", "plan.yaml", "whoami", "--json");
  expect(JSON.parse(called.stdout)).toMatchObject({ status: "ok", result: { data: { pid: worker.pid } } });

  const shown = await run("fleet", "plan.yaml");
  expect(shown).toMatchObject({ code: 0 });
  expect(shown.stdout).toContain("queue far: 1 worker, 0 running, 0 waiting");
  expect(shown.stdout).toMatch(new RegExp(`${worker.pid}`));

  const ended = once(worker, "exit");
  worker.kill("SIGTERM");
  await ended;
  const [report] = JSON.parse((await run("fleet", "plan.yaml", "--json")).stdout) as [{ workers: unknown[] }];
  expect(report.workers).toEqual([]);
});

test("a worker of a queue that the plan does not have ends and says so", async () => {
  const { code, stderr } = await run("worker", "plan.yaml", "--queue", "other");
  expect(code).toBe(2);
  expect(stderr).toContain('no entry of the plan has "run: { in: fleet }" with the queue other');
});

test("a fleet without a database does not open, and the error says what to add", async () => {
  await files({ "no-state.yaml": "tools:\n  - module: ./whoami.js\n    run: { in: fleet }\n" });
  const { code, stderr } = await run("call", "no-state.yaml", "whoami");
  expect(code).toBe(78);
  expect(stderr).toContain("add to the plan: state: postgres://");
});

test.each(["permission", "bubblewrap", "srt"])(
  "neither the host nor the worker imports a module whose calls run on a fleet behind %s",
  async (border) => {
    const imports = join(folder, `imports-${border}.txt`);
    const top = `import { appendFileSync } from "node:fs";
try { appendFileSync(${JSON.stringify(imports)}, process.pid + " "); } catch {}
`;
    await files({
      [`${border}.js`]: `${top}${tool}`,
      [`${border}.yaml`]: `state: ${await postgres.database(border)}
tools:
  - module: ./${border}.js
    run: { in: fleet, queue: ${border}, border: ${border} }
`,
    });
    const worker = await startWorker(`${border}.yaml`, border);
    const called = await run("call", `${border}.yaml`, "whoami", "--json");

    const { status, result } = JSON.parse(called.stdout) as {
      status: string;
      result: { data: { pid: number } };
    };
    expect(status).toBe("ok");
    expect(result.data.pid).not.toBe(worker.pid);
    expect(await readFile(imports, "utf8").catch(() => "no import with the rights of a host")).toBe(
      "no import with the rights of a host",
    );
  },
);

/** A plan whose database answers at another port, which leads to the real one as soon as `open` is called. */
async function databaseBehind(name: string, engine?: string) {
  const port = await freePort();
  const real = new URL(await postgres.database(name));
  const through = new URL(real);
  through.port = String(port);
  await files({
    [`${name}.yaml`]: `state: ${through.href}
tools:
  - module: ./whoami.js
    run: { in: fleet, queue: far${engine === undefined ? "" : `, engine: "${engine}"`} }
`,
  });
  const open = async () => {
    const server = createServer((socket) => {
      const there = connect(Number(real.port), real.hostname);
      socket.on("error", () => there.destroy());
      there.on("error", () => socket.destroy());
      socket.pipe(there).pipe(socket);
    }).listen(port, "127.0.0.1");
    onTestFinished(() => void server.close());
    await once(server, "listening");
    expect((server.address() as AddressInfo).port).toBe(port);
  };
  return { plan: `${name}.yaml`, open };
}

/** Starts a worker, and reads its lines. */
function startWaiting(plan: string) {
  const child = spawn(process.execPath, [...words, "worker", plan, "--json"], { cwd: folder, stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.end();
  let log = "";
  child.stderr.on("data", (chunk: Buffer) => (log += chunk.toString()));
  const ended = once(child, "exit") as Promise<[number | null]>;
  const waits = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const look = () => log.includes(text) && resolve();
      child.stderr.on("data", look);
      child.once("exit", () => reject(new Error(`the worker ended: ${log}`)));
      look();
    });
  const ready = once(createInterface({ input: child.stdout }), "line") as Promise<[string]>;
  return { child, ended, waits, ready, log: () => log };
}

test("a worker that starts while Postgres is away waits for it, and says so once", async () => {
  const { plan, open } = await databaseBehind("late");
  const worker = startWaiting(plan);
  await worker.waits("toolmount fleet work waits:");
  await open();

  const [line] = await worker.ready;
  expect(JSON.parse(line)).toMatchObject({ ready: true, tools: ["whoami"] });
  expect(worker.log()).not.toMatch(/INTERNAL|needs a ledger|password/);
  expect(worker.log().match(/fleet work waits/g)).toHaveLength(1);
  worker.child.kill("SIGTERM");
  expect((await worker.ended)[0]).toBe(0);
});

test("a worker that starts while Redis is away waits for it, and runs calls then", async () => {
  const port = await freePort();
  const { plan, open } = await databaseBehind("late-redis", `redis://127.0.0.1:${port}`);
  await open();
  const worker = startWaiting(plan);
  await worker.waits("toolmount fleet work waits: the engine of a fleet at redis://127.0.0.1");
  const redis = await startRedis(port);
  onTestFinished(() => redis.stop());

  await worker.ready;
  const called = await run("call", plan, "whoami", "--json");
  expect(JSON.parse(called.stdout)).toMatchObject({
    status: "ok",
    result: { data: { pid: worker.child.pid } },
  });
  expect(worker.log()).not.toContain("INTERNAL");
});

test("a worker that waits ends when it is asked to", async () => {
  const { plan } = await databaseBehind("never");
  const worker = startWaiting(plan);
  await worker.waits("toolmount fleet work waits:");
  worker.child.kill("SIGTERM");

  expect((await worker.ended)[0]).toBe(0);
});

test("a database that refuses the worker is not waited for, and is the only problem", async () => {
  const refused = new URL(await postgres.database("refused"));
  refused.pathname = "/not-there";
  await files({
    "refused.yaml": `state: ${refused.href}
tools:
  - module: ./whoami.js
    run: { in: fleet, queue: far }
`,
  });
  const { code, stderr } = await run("worker", "refused.yaml");

  expect(code).toBe(78);
  expect(stderr).toContain("STATE_UNAVAILABLE");
  expect(stderr).not.toMatch(/needs a ledger|MODULE_MOUNT_FAILED|waits/);
});
