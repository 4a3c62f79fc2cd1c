#!/usr/bin/env node
// Not built, so that an installer can link it before the build.
await import("../dist/main.js");
