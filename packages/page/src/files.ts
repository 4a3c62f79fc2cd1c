import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

/** A file of the page, ready to be sent to a browser. */
export interface PageFile {
  /** The media type. */
  readonly type: string;
  readonly body: Buffer;
  /** The body compressed with gzip, for browsers that accept it. */
  readonly gzipped: Buffer;
  /** Further headers for the response. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The files of the page, by their paths: the document at `/`, the others below `/assets/`. */
export type PageFiles = ReadonlyMap<string, PageFile>;

/** The folder of the page's own modules, compiled by tsc. */
const modules = new URL("dist/ui/", import.meta.resolve("#package.json"));
const styles = new URL("ui/style.css", import.meta.resolve("#package.json"));

/** Libraries, by the names under which the page's modules import them. Each is served unchanged, with its licence. */
const libraries = [
  "preact",
  "preact/hooks",
  "preact/jsx-runtime",
  "@preact/signals",
  "@preact/signals-core",
] as const;

/**
 * Reads the files of the page, for `serveHosts`. Browsers get them without a token, because none of them is secret. The page asks
 * the person for a token, or takes it from the fragment of the address, which browsers do not send. With `signIn`, people may
 * also sign in at the OpenID provider.
 */
export async function readPage(signIn?: { readonly provider: string }): Promise<PageFiles> {
  const files = await (page ??= readFiles());
  if (signIn === undefined) return files;
  const document = files.get("/")!;
  const meta = `<meta name="toolmount-provider" content="${signIn.provider.replaceAll(/[^\w.:[\]-]/g, "")}">`;
  const body = Buffer.from(document.body.toString("utf8").replace("<title>", `${meta}\n<title>`));
  return new Map(files).set("/", { ...document, body, gzipped: gzipSync(body) });
}

/** The files, read and compressed once for each process: those of an installed package do not change. */
let page: Promise<PageFiles> | undefined;

async function readFiles(): Promise<PageFiles> {
  const files = new Map<string, PageFile>();
  const add = (path: string, type: string, text: string, headers = {}) => {
    const body = Buffer.from(text);
    files.set(path, { type, body, gzipped: gzipSync(body), headers });
  };
  for (const file of await readdir(modules, { recursive: true })) {
    const name = file.replaceAll("\\", "/");
    // `elements.js` is for pages of products, and this page does not load it.
    if (name.endsWith(".js") && name !== "elements.js")
      add(`/assets/${name}`, script, await readFile(new URL(name, modules), "utf8"));
  }
  const imports: Record<string, string> = {};
  for (const name of libraries) {
    const path = `/assets/${name.replaceAll(/[@/]/g, "_")}.mjs`;
    imports[name] = path;
    add(path, script, withoutMap(await readLibrary(name)));
  }
  add("/assets/style.css", css, await readFile(styles, "utf8"));
  const importMap = JSON.stringify({ imports });
  add("/", "text/html; charset=utf-8", documentWith(importMap), {
    "content-security-policy": policyFor(importMap),
  });
  return files;
}

/** Reads a library. The build copies the libraries into the package, so users need not install them. */
function readLibrary(name: string): Promise<string> {
  return readFile(fileURLToPath(import.meta.resolve(`#browser/${name}`)), "utf8");
}

const script = "text/javascript; charset=utf-8";
const css = "text/css; charset=utf-8";

/** Removes the reference to the source map, because a browser's developer tools would request the map, which is not served. */
function withoutMap(code: string): string {
  return code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, "\n");
}

function documentWith(importMap: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>toolmount</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/assets/style.css">
<script type="importmap">${importMap}</script>
<script type="module" src="/assets/main.js"></script>
</head>
<body><div id="app"><p>The page needs JavaScript.</p></div></body>
</html>
`;
}

/**
 * Returns the content security policy. Only the page's own files run, so texts of tools and models cannot become code or
 * markup.
 */
function policyFor(importMap: string): string {
  const hash = createHash("sha256").update(importMap).digest("base64");
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "connect-src 'self'",
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
