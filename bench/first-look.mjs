// What a person waits for, and reads, who types one command: `toolmount` beside `mcporter list`, in turn, over the same three MCP
// servers in Cursor's list. toolmount starts none of them; mcporter starts each. Run as `node bench/first-look.mjs [pairs]`, after a build.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
const programs = join(root, "test/mcp/node_modules/.bin");
const pairs = Number(process.argv[2] ?? 20);
const home = mkdtempSync(join(tmpdir(), "toolmount-first-look-"));
const here = join(home, "work");
mkdirSync(here);
mkdirSync(join(home, ".cursor"));
const mcpServers = {
  everything: { command: join(programs, "mcp-server-everything"), args: ["stdio"] },
  files: { command: join(programs, "mcp-server-filesystem"), args: [here] },
  memory: { command: join(programs, "mcp-server-memory"), args: [] },
};
writeFileSync(join(home, ".cursor/mcp.json"), JSON.stringify({ mcpServers }));

const commands = {
  toolmount: [process.execPath, join(root, "packages/cli/bin/toolmount.js")],
  "mcporter list": [join(programs, "mcporter"), "list"],
};
const times = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
const said = {};
for (let pair = 0; pair < pairs; pair++)
  for (const [name, [file, ...words]] of Object.entries(commands)) {
    const env = { PATH: process.env.PATH, HOME: home, XDG_CONFIG_HOME: join(home, ".config"), NO_COLOR: "1" };
    const begin = performance.now();
    const { status, stdout, stderr } = spawnSync(file, words, { cwd: here, env, encoding: "utf8" });
    times[name].push(performance.now() - begin);
    if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`);
    said[name] = stdout;
  }
for (const [name, all] of Object.entries(times)) {
  const sorted = all.toSorted((one, other) => one - other);
  const shown = [sorted[0], sorted[Math.floor(sorted.length / 2)], sorted.at(-1)].map((ms) =>
    (ms / 1000).toFixed(2),
  );
  console.log(
    `${name}: ${pairs} runs, least ${shown[0]} s, median ${shown[1]} s, longest ${shown[2]} s; it says:`,
  );
  console.log(said[name].trimEnd().replaceAll(/^/gm, "    "));
}
rmSync(home, { recursive: true });
