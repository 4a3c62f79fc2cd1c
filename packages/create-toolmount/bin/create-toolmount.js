#!/usr/bin/env node
// Not built, so that an installer can link it before the build. Old versions of Node must be able to read this file.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`toolmount needs Node 22.19 or later; this is Node ${process.versions.node}\n`);
  process.exitCode = 1;
} else await import("../dist/main.js");
