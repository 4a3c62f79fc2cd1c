// Tries real packages of the registry, as `pnpm foreign-tools [name…]`: installs each, at its fixed version, in a folder of
// its own below .foreign-tools/, names it in a plan, mounts the plan, and calls a tool where that needs no key and no
// network. Writes docs/reference/foreign-tools.md. Exits with 1 when a tool answers something else than its list says.
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
for (const row of chosen) {
  const tried = await tryRow(row);
  const isRefused = tried.tools === undefined && row.file !== undefined;
  results.push({ row, ...(isRefused ? await tryFile(row, tried.refused) : tried) });
}
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
      // Some packages ask for others in their own page, and a file that makes tools imports some.
      dependencies: { [row.name]: row.version, ...row.beside },
    };
    writeFileSync(join(folderOf(row), "package.json"), JSON.stringify(manifest));
  }
  execFileSync("pnpm", ["install", "--ignore-scripts", "--no-frozen-lockfile"], {
    cwd: folder,
    stdio: "inherit",
  });
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

/** What a refusal says for arguments that only code can make: a file that makes the tools, and that the plan names. */
async function tryFile(row, refused) {
  writeFileSync(join(folderOf(row), "own.mjs"), row.file);
  const made = await mount(row, { version: 1, tools: [{ module: "./own.mjs" }] });
  return made.tools === undefined ? made : { ...made, lines: [], withFile: true, refused };
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
  const rows = tried.map(({ row, tools, asks, call, refused, withFile, lines = [] }) => [
    `\`${entryOf(row)}\` ${row.version}`,
    row.library,
    howItMounts({ tools, lines, withFile }),
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
  const isMounted = ({ tools, withFile }) => tools !== undefined && withFile !== true;
  const mounted = tried.filter(isMounted).length;
  const withFiles = tried.filter(({ withFile }) => withFile === true).length;
  const wrong = tried.filter(({ call }) => call?.isRight === false);
  const asNamed = tried.filter((each) => isMounted(each) && each.lines.length === 0).length;
  const sum = `${mounted} of ${tried.length} mount, ${asNamed} of them by the name alone; ${tried.filter(({ call }) => call !== undefined).length} were called, ${wrong.length} answered wrong. ${withFiles} more mount from a file that makes their tools.`;
  console.log(sum);
  for (const row of rows) console.log(row.join(" | "));
  if (wanted.length === 0) writeFileSync(join(root, "docs/reference/foreign-tools.md"), pageOf(rows, sum));
  process.exitCode = wrong.length > 0 ? 1 : 0;
}

function howItMounts({ tools, lines, withFile }) {
  if (tools === undefined) return "no";
  if (withFile === true) return "from a file";
  return lines.length === 0 ? "as named" : `with \`${lines.join("`, `")}\``;
}

function pageOf(rows, sum) {
  const head = ["package", "written for", "mounts", "tools", "ask", "a call", "refused, and why"];
  const cell = (text) => text.replaceAll("|", "\\|").replaceAll("\n", " ");
  const table = [head, head.map(() => "---"), ...rows].map((row) => `| ${row.map(cell).join(" | ")} |`);
  return [
    "# Packages for other libraries that were tried",
    "",
    "`pnpm foreign-tools` installs these packages of the npm registry, names each in a plan, and mounts it. No package was edited. A tool is called where",
    "that needs neither a key nor the network. Those that mount from a file need an object that only code can make: the file has what the refusal says.",
    "How it works: [Coming from other libraries](coming-from-libraries.md).",
    "",
    sum,
    "",
    ...table,
    "",
  ].join("\n");
}
