// Compares toolmount with its peers, as the last step of `pnpm mcp-tables [name…]`: installs each at its fixed version in a folder of
// its own below .mcp-peers/, puts the same server behind it, and asks as one client. Writes the table of
// docs/reference/mcp-compatibility.md. `--race` measures the times of calls, too, all ways in turn.
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { versions, ways } from "./list.mjs";
import { connect, probe, questions } from "./probe.mjs";
import { race } from "./race.mjs";

const root = resolve(import.meta.dirname, "../../..");
const folder = join(root, ".mcp-peers");
const server = join(import.meta.dirname, "server.mjs");
const token = "tm_0123456789012345678901234567890123456789012";
const words = process.argv.slice(2);
const isRace = words.includes("--race");
const wanted = words.filter((word) => word !== "--race");

install();
const opened = [];
const seen = new Map();
for (const name of namesOf()) {
  const way = await open(name).catch((error) => ({ error }));
  if (way.error !== undefined) console.error(`${name}: ${way.error.message}`);
  else if (isRace) opened.push(way);
  else seen.set(name, await probe(way.client, way.startsServer ?? true).finally(way.close));
}
if (isRace) {
  console.table(await race(opened));
  for (const { close } of opened) await close();
} else report();
process.exit();

function install() {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true, dependencies: versions }));
  execFileSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"], {
    cwd: folder,
    stdio: "inherit",
  });
}

function namesOf() {
  const all = ways(factsOf(0))
    .filter(({ isRaceOnly = false }) => isRace || !isRaceOnly)
    .map(({ name }) => name);
  return wanted.length === 0 ? all : all.filter((name) => wanted.some((word) => name.includes(word)));
}

function factsOf(port) {
  return { root, server, port, bin: (name) => join(folder, "node_modules/.bin", name) };
}

async function freePort() {
  const socket = createServer();
  await new Promise((done) => socket.listen(0, "127.0.0.1", done));
  const { port } = socket.address();
  await new Promise((done) => socket.close(done));
  return port;
}

/** Starts one way to the server and connects. A home of its own keeps every program from the files of this machine. */
async function open(name) {
  const port = await freePort();
  const way = ways(factsOf(port)).find((one) => one.name === name);
  const cwd = join(folder, "run", name.replaceAll(/\W+/g, "-"));
  rmSync(cwd, { recursive: true, force: true });
  mkdirSync(cwd, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: cwd, CI: "true" };
  for (const [file, value] of Object.entries(way.files ?? {})) write(join(cwd, file), value);
  if (way.hasToken === true) {
    const sha256 = createHash("sha256").update(token).digest("hex");
    write(join(cwd, "../tokens.json"), {
      version: 1,
      tokens: [{ name: "peers", user: "ada", roles: ["call"], sha256 }],
    });
  }
  const listens = way.behindHttp === true ? [process.execPath, server, String(port)] : way.listens;
  const child = listens && spawn(listens[0], listens.slice(1), { cwd, env, stdio: "ignore", detached: true });
  const url = `http://127.0.0.1:${port}${way.path}`;
  const close = async () => {
    await client?.close().catch(() => {});
    // It leaves a process that keeps its servers.
    if (way.ends !== undefined) execFileSync(way.ends[0], way.ends.slice(1), { cwd, env, stdio: "ignore" });
    if (child?.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL");
  };
  let client;
  try {
    const target = { ...way, url, cwd, env, ...(way.hasToken === true && { token }) };
    client = await persist(() => connect(target), child === undefined ? 1 : 60);
    return { ...way, client, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function write(file, value) {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value, null, 2), { mode: 0o600 });
}

/** A program that listens takes a while to. */
async function persist(act, times) {
  for (let at = 1; ; at++) {
    try {
      return await act();
    } catch (error) {
      if (at >= times) throw error;
      await delay(500);
    }
  }
}

function report() {
  const columns = Object.keys(questions);
  const label = (name) => (versions[name] === undefined ? name : `\`${name}\` ${versions[name]}`);
  const rows = [...seen].map(([name, answers]) => [
    label(name),
    ...columns.map((column) => ({ true: "yes", false: "no" })[answers[column]] ?? answers[column]),
  ]);
  const all = [["reached through", ...columns], ...rows];
  const widths = all[0].map((_, column) => Math.max(...all.map((row) => row[column].length)));
  const line = (row) => `| ${row.map((cell, column) => cell.padEnd(widths[column])).join(" | ")} |`;
  const rule = `| ${widths.map((width) => "-".repeat(width)).join(" | ")} |`;
  const table = [line(all[0]), rule, ...rows.map(line)].join("\n");
  console.log(table);
  if (wanted.length > 0) return;
  const page = join(root, "docs/reference/mcp-compatibility.md");
  const text = readFileSync(page, "utf8");
  const begin = "<!-- peers -->\n";
  if (!text.includes(begin)) throw new Error(`${page} has no place for the table`);
  const start = text.indexOf(begin) + begin.length;
  const end = text.indexOf("<!-- end -->", start);
  writeFileSync(page, `${text.slice(0, start)}\n${table}\n\n${text.slice(end)}`);
}
