#!/usr/bin/env node
// Not built, so that an installer finds it and links it before anything is.
import { enableCompileCache } from "node:module";

enableCompileCache();
await import("../dist/main.js");
