// Tries real packages of the registry, as `pnpm foreign-tools [name…]`: installs each, at its fixed version, in a folder of
// its own below .foreign-tools/, names it in a plan, mounts the plan, and calls a tool where that needs no key and no
// network. Writes docs/foreign-tools.md. Exits with 1 when a tool answers something else than its list says.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { packages } from "./foreign-tools-list.mjs";

const root = resolve(import.meta.dirname, "..");
const folder = join(root, ".foreign-tools");
const wanted = process.argv.slice(2);
const chosen = packages.filter(({ name }) => wanted.length === 0 || wanted.includes(name));

const folderOf = ({ name, entry = "" }) =>
  join(folder, "packages", `${name}/${entry}`.replaceAll(/[@/]+/g, "_"));
const entryOf = ({ name, entry }) => (entry === undefined ? name : `${name}/${entry}`);
const specifierOf = (row) => (row.name.startsWith("@") ? entryOf(row) : `npm:${entryOf(row)}`);

install();
const results = [];
for (const row of chosen) results.push({ row, ...(await tryRow(row)) });
report(results);

/** One workspace, in which each package has its own dependencies. No script of a package runs. */
function install() {
  mkdirSync(folder, { recursive: true });
  const settings = { packages: ["packages/*"], autoInstallPeers: true, strictPeerDependencies: false };
  writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ ...settings, strictDepBuilds: false }));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  for (const row of chosen) {
    mkdirSync(folderOf(row), { recursive: true });
    const manifest = {
      private: true,
      type: "module",
      dependencies: { [row.name]: row.version, ...peers(row) },
    };
    writeFileSync(join(folderOf(row), "package.json"), JSON.stringify(manifest));
  }
  execFileSync("pnpm", ["install", "--ignore-scripts", "--no-frozen-lockfile"], {
    cwd: folder,
    stdio: "inherit",
  });
}

/** What a package asks for in its own page, beside its peers. */
function peers({ name }) {
  return name === "bash-tool" ? { "just-bash": "3.4.2" } : {};
}

async function tryRow(row) {
  const plain = { version: 1, tools: [{ module: specifierOf(row) }] };
  const first = await mount(row, plain);
  const lines = ["export", "config", "source"].filter((key) => row[key] !== undefined);
  if (first.tools !== undefined || lines.length === 0) return { ...first, lines: [] };
  const added = Object.fromEntries(lines.map((key) => [key, row[key]]));
  const second = await mount(row, { version: 1, tools: [{ module: specifierOf(row), ...added }] });
  return { ...second, lines, asked: first.refused };
}

/** Mounts a plan in a process of its own, without any variable that may hold a key. */
async function mount(row, plan) {
  writeFileSync(join(folderOf(row), "mount-plan.json"), JSON.stringify(plan, null, 2));
  const program = join(root, "scripts/foreign-tools-try.mjs");
  const { PATH, HOME } = process.env;
  const child = spawn(
    process.execPath,
    ["-C", "@toolmount/source", program, folderOf(row), JSON.stringify(row.call ?? null)],
    { cwd: root, env: { PATH, HOME }, stdio: ["ignore", "pipe", "inherit"] },
  );
  let text = "";
  child.stdout.on("data", (chunk) => (text += chunk));
  await new Promise((done) => child.on("close", done));
  const line = text.split("\n").findLast((each) => each.startsWith("RESULT "));
  return line === undefined ? { refused: "its process ended without an answer" } : JSON.parse(line.slice(7));
}

function report(tried) {
  const rows = tried.map(({ row, tools, asks, call, refused, lines = [] }) => [
    `\`${entryOf(row)}\` ${row.version}`,
    row.library,
    tools === undefined ? "no" : lines.length === 0 ? "as named" : `with \`${lines.join("`, `")}\``,
    tools === undefined ? "" : String(tools.length),
    tools === undefined ? "" : String(asks),
    call === undefined
      ? ""
      : call.isRight
        ? call.fails === undefined
          ? "right"
          : `fails: ${call.fails}`
        : `wrong: ${call.got}`,
    refused === undefined ? "" : refused,
  ]);
  const mounted = tried.filter(({ tools }) => tools !== undefined).length;
  const wrong = tried.filter(({ call }) => call?.isRight === false);
  const asNamed = tried.filter(({ tools, lines }) => tools !== undefined && lines.length === 0).length;
  const sum = `${mounted} of ${tried.length} mount, ${asNamed} of them by the name alone; ${tried.filter(({ call }) => call !== undefined).length} were called, ${wrong.length} answered wrong.`;
  console.log(sum);
  for (const row of rows) console.log(row.join(" | "));
  if (wanted.length === 0) writeFileSync(join(root, "docs/foreign-tools.md"), pageOf(rows, sum));
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

function pageOf(rows, sum) {
  const head = ["package", "written for", "mounts", "tools", "ask", "a call", "refused, and why"];
  const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const table = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`);
  return [
    "# Packages for other libraries that were tried",
    "",
    "`pnpm foreign-tools` installs these packages of the npm registry, names each in a plan, and mounts it. No package was edited. A tool is called where",
    "that needs neither a key nor the network. How it works: [Coming from other libraries](coming-from-libraries.md).",
    "",
    sum,
    "",
    ...table,
    "",
  ].join("\n");
}
