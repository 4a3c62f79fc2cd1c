import { env } from "node:process";
import { defineConfig } from "vitepress";
import { sidebars } from "../pages.mjs";
import { miniSearch } from "../search.mjs";

export default defineConfig({
  title: "toolmount",
  description: "A tool host for LLM agents: tools from a plan, one policy for every call.",
  srcDir: "dist/pages",
  outDir: "dist/site",
  base: env["SITE_BASE"] ?? "/",
  cleanUrls: true,
  lastUpdated: false,
  // A dead link ends the build.
  ignoreDeadLinks: false,
  markdown: { html: false },
  // A picture of each theme stands side by side; the reader sees one.
  head: [["style", {}, ".dark .light-only, html:not(.dark) .dark-only { display: none }"]],
  themeConfig: {
    search: { provider: "local", options: { miniSearch } },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/getting-started" },
      { text: "Write tools", link: "/first-tool" },
      { text: "Gateway", link: "/mcp-gateway" },
      { text: "Agents", link: "/run-an-agent" },
      { text: "Examples", link: "/examples/" },
      { text: "Reference", link: "/reference/errors" },
      { text: "All pages", link: "/pages" },
    ],
    sidebar: sidebars(),
  },
});
