#!/usr/bin/env node
// Not built, so that an installer can link it before the build. Old versions of Node must be able to read this file.
const { node, bun, deno } = process.versions;
const [major, minor] = node.split(".").map(Number);
const runtime = bun ? `Bun ${bun}` : deno ? `Deno ${deno}` : `Node ${node}`;
const [first, ...others] = process.argv.slice(2);
if (!runtime.startsWith("Node") || major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`toolmount needs Node 22.19 or later; this is ${runtime}\n`);
  process.exitCode = 1;
} else if (others.length === 0 && (first === "--version" || first === "-V")) {
  // Scripts and editors ask this often: the command itself takes three times as long to load. An `import` of node:fs loads
  // all of its streams.
  const { readFileSync } = process.getBuiltinModule("node:fs");
  const manifest = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  process.stdout.write(`${manifest.version}\n`);
} else {
  process.getBuiltinModule("node:module").enableCompileCache();
  await import("../dist/main.js");
}
