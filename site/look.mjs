// Looks at the built site in Chromium at 360 and 1440 pixels: `node site/look.mjs`, after `pnpm site`. It fails when a page
// is wider than its window, logs an error, or when the search does not find a page. It writes `docs/pictures/site/*.png`.
import { createServer } from "node:http";
import { existsSync, globSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { extname, join, relative } from "node:path";
import { chromium } from "playwright-core";

const dist = join(import.meta.dirname, "dist/site");
const pictures = join(import.meta.dirname, "../docs/pictures/site");
const types = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://localhost").pathname);
  const file = [path, `${path}.html`, `${path}index.html`]
    .map((each) => join(dist, each))
    .find((each) => existsSync(each) && statSync(each).isFile());
  if (file === undefined) return response.writeHead(404).end();
  return response.writeHead(200, { "content-type": types[extname(file)] }).end(readFileSync(file));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${server.address().port}`;

const executablePath = ["/usr/bin/chromium", "/usr/bin/google-chrome"].find((path) => existsSync(path));
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
const problems = [];
mkdirSync(pictures, { recursive: true });
const paths = globSync("**/*.html", { cwd: dist })
  .filter((path) => path !== "404.html")
  .map((path) => `/${path.replace(/(?:index)?\.html$/, "")}`)
  .toSorted();

for (const width of [360, 1440]) {
  const page = await browser.newPage({ viewport: { width, height: 800 }, reducedMotion: "reduce" });
  let at = "";
  page.on("pageerror", (error) => problems.push(`${at} at ${width}: ${error.message}`));
  for (at of paths) {
    await page.goto(`${url}${at}`, { waitUntil: "load" });
    const wide = await page.evaluate(
      "document.documentElement.scrollWidth - document.documentElement.clientWidth",
    );
    if (wide > 0) problems.push(`${at} at ${width}: ${wide} pixels too wide`);
    if (at === "/" || at === "/getting-started")
      await page.screenshot({ path: join(pictures, `${at.slice(1) || "home"}-${width}.png`) });
  }
  await page.emulateMedia({ colorScheme: "dark", reducedMotion: "reduce" });
  await page.goto(`${url}/`, { waitUntil: "load" });
  await page.screenshot({ path: join(pictures, `home-${width}-dark.png`) });
  await page.emulateMedia({ colorScheme: "light", reducedMotion: "reduce" });
  await page.goto(`${url}/`);
  await page.locator(".VPNavBarSearch button").first().click();
  await page.locator("#localsearch-input").fill("approvals that wait for a person");
  const [first] = await page
    .locator(".VPLocalSearchBox .results a")
    .filter({ hasText: "Approvals" })
    .all()
    .then(async (found) => {
      if (found.length > 0) return found;
      await page.locator(".VPLocalSearchBox .results a").first().waitFor();
      return page.locator(".VPLocalSearchBox .results a").all();
    });
  if (first === undefined) problems.push(`the search at ${width} found nothing`);
  else if (!(await first.getAttribute("href"))?.includes("approvals"))
    problems.push(`the search at ${width} found ${await first.getAttribute("href")} first`);
}
await browser.close();
server.close();
for (const problem of problems) console.error(problem);
console.log(
  `${paths.length} pages at 2 widths, ${problems.length} problems, pictures in ${relative(".", pictures)}`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
