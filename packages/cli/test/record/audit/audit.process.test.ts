import { generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import { chmod } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { oneTool, planOf, workspace } from "../../support/workspace.ts";

const order = oneTool({
  name: "order",
  schema: "title: z.string(), note: z.string().optional()",
  body: `return data({ ordered: params.title });`,
});
const plan = `${planOf("./order.ts")}state: sqlite:./state.db\naudit: durable\npolicy: { deny: ["order(*poison*)"] }\n`;

/** What is printed where no call fits: an empty screen would look like a command that did nothing. */
const none = "no call is recorded that fits";

async function ordered() {
  const world = await workspace({ "order.ts": order, "mount-plan.yaml": plan });
  const call = (title: string, user: string) =>
    world.here(["call", "order", JSON.stringify({ title, note: "n" }), "--user", user]);
  await call("Emma", "alice");
  await call("A poison", "bob");
  await call("Ivanhoe", "bob");
  return world;
}

test("audit shows a call on a line, and filters by tool, user, time and denial", async () => {
  const { here: run } = await ordered();
  const lines = async (...words: string[]) => (await run(["audit", ...words])).stdout.trimEnd().split("\n");

  expect(await lines()).toEqual([
    expect.stringMatching(/^just now {2}order\(title: Emma, …\) +alice {2}allowed {2}ok \d+ ms$/),
    expect.stringMatching(/^just now {2}order\(title: A poison, …\) {2}bob +denied +denied DENIED /),
    expect.stringMatching(/^just now {2}order\(title: Ivanhoe, …\) +bob +allowed {2}ok \d+ ms$/),
  ]);
  expect(await lines("--last", "1")).toEqual([expect.stringContaining("Ivanhoe")]);
  expect(await lines("--status", "denied")).toEqual([expect.stringContaining("poison")]);
  expect(await lines("--user", "bob", "--since", "1h")).toHaveLength(2);
  expect(await lines("--since", "2999-01-01")).toEqual([none]);
  expect(await lines("--tool", "gone")).toEqual([""]);
  const json = JSON.parse((await run(["audit", "--status", "denied", "--json"])).stdout) as object[];
  expect(json).toMatchObject([{ kind: "end", status: "denied" }]);
  expect((await run(["audit", "--since", "soon"])).code).toBe(2);
});

test("audit selects calls by words, status, code, session and time, without reading the whole audit", async () => {
  const { here: run } = await ordered();
  const lines = async (...words: string[]) => (await run(["audit", ...words])).stdout.trimEnd().split("\n");

  expect(await lines("--text", "ivanhoe")).toEqual([expect.stringContaining("Ivanhoe")]);
  expect(await lines("--text", "ordered emma")).toEqual([expect.stringContaining("Emma")]);
  expect(await lines("--text", "pois*")).toEqual([expect.stringContaining("poison")]);
  expect(await lines("--status", "ok")).toHaveLength(2);
  expect(await lines("--code", "DENIED")).toEqual([expect.stringContaining("poison")]);
  expect(await lines("--session", "none")).toEqual([none]);
  expect(await lines("--until", "2001-01-01")).toEqual([none]);
  expect(await lines("--status", "ok", "--last", "1")).toEqual([expect.stringContaining("Ivanhoe")]);
  const csv = (await run(["audit", "--format", "csv", "--text", "emma"])).stdout.trimEnd().split("\n");
  expect(csv).toEqual([expect.stringContaining("time,run"), expect.stringContaining('""ordered"":""Emma""')]);
  const wrong = await run(["audit", "--status", "good"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("timed_out")]);
});

test("audit --format prints records with their hashes, calls as CSV, and events of OCSF", async () => {
  const { here: run } = await ordered();
  const lines = async (...words: string[]) =>
    (await run(["audit", "--format", ...words])).stdout.trimEnd().split("\n");

  const records = (await lines("jsonl")).map((line) => JSON.parse(line) as object);
  expect(records).toHaveLength(5);
  expect(records[0]).toMatchObject({
    writer: expect.any(String),
    sequence: 1,
    previous: "",
    hash: expect.any(String),
  });
  const csv = await lines("csv");
  expect(csv[0]).toBe(
    "time,run,kind,tool,arguments,user,session,answer,rules,approved_by,denied_by,allowed_by,status,code,error,result,duration_ms,run_by",
  );
  expect(csv).toHaveLength(4);
  const events = (await lines("ocsf", "--status", "denied")).map((line) => JSON.parse(line) as object);
  expect(events).toMatchObject([{ class_uid: 6003, status_id: 2, unmapped: { answer: "deny" } }]);
});

test("audit --follow shows a new call when it has ended", async () => {
  const { start, run } = await ordered();
  const { child, ended } = start(["audit", "--follow", "--user", "carol"]);
  let shown = "";
  child.stdout!.on("data", (chunk: Buffer) => (shown += chunk.toString()));
  await run(["call", "order", "title=Emma 2", "--user", "carol"]);
  while (!shown.includes("\n")) await once(child.stdout!, "data");
  child.kill("SIGINT");

  expect(shown).toMatch(/order\(title: Emma 2\) {2}carol {2}allowed {2}ok/);
  expect((await ended).code).toBe(0);
});

test("audit --follow --json prints the newest records and then each new one, once, where it is wanted", async () => {
  const { start, here: run } = await ordered();
  const { child, ended } = start(["audit", "--follow", "--json", "--user", "bob", "--last", "1"]);
  const lines: string[] = [];
  createInterface(child.stdout!).on("line", (line) => lines.push(line));
  const call = (title: string, user: string) => run(["call", "order", `title=${title}`, "--user", user]);
  await expect.poll(() => lines.length).toBe(2);
  await call("Persuasion", "alice");
  await call("Waverley", "bob");
  await expect.poll(() => lines.length).toBe(4);
  child.kill("SIGINT");
  await ended;

  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject([
    { kind: "start", userId: "bob", arguments: { title: "Ivanhoe" } },
    { kind: "end", status: "ok", userId: "bob" },
    { kind: "start", userId: "bob", arguments: { title: "Waverley" } },
    { kind: "end", status: "ok", userId: "bob" },
  ]);
});

test("audit sign signs no audit that was changed, and takes no key that others may read", async () => {
  const { here: run, write, folder } = await ordered();
  const { privateKey } = generateKeyPairSync("ed25519");
  await write("key.pem", privateKey.export({ type: "pkcs8", format: "pem" }) as string);
  const file = join(folder, "key.pem");
  await chmod(file, 0o644);
  const shared = await run(["audit", "sign", "key.pem"]);
  expect([shared.code, shared.stderr]).toEqual([2, expect.stringContaining("chmod 600")]);

  await chmod(file, 0o600);
  expect((await run(["audit", "sign", "key.pem"])).code).toBe(0);
  const database = new DatabaseSync(join(folder, "state.db"));
  database.exec("update audit set body = replace(body, 'alice', 'mallory')");
  database.close();
  const changed = await run(["audit", "sign", "key.pem"]);
  expect([changed.code, changed.stdout, changed.stderr]).toEqual([
    2,
    "",
    expect.stringContaining("is not signed; toolmount audit --check shows them"),
  ]);
});

test("audit sign refuses what is no Ed25519 key", async () => {
  const { here: run, write, folder } = await ordered();
  await write("key.pem", "no key");
  await chmod(join(folder, "key.pem"), 0o600);
  const wrong = await run(["audit", "sign", "key.pem"]);
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("cannot be read as a private key")]);
});
