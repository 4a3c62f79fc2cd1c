// Builds the site into `site/dist/site`: `pnpm site`. SITE_BASE is the path that it is served below, such as /toolmount/.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { build } from "vitepress";
import { writePages } from "./pages.mjs";

const root = dirname(import.meta.dirname);
const { repository } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const pages = writePages(join(import.meta.dirname, "dist/pages"), repository);
await build(import.meta.dirname);
console.log(`${pages.length} pages are built into site/dist/site`);
