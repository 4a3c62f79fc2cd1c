import { createHash } from "node:crypto";
import { join } from "node:path";
import { ToolmountError } from "@toolmount/core/errors";

/** A package that is not installed by npm but fetched by `toolmount install`. */
export interface FetchedSource {
  readonly kind: "fetched";
  readonly written: string;
  /** The name of the package's folder in the plan's folder of fetched packages. Each package and version range has its own. */
  readonly alias: string;
  /** The path of an entry of the package, such as `/tools/calculator`; empty for the main entry. */
  readonly entry?: string;
  readonly from:
    | { readonly kind: "npm"; readonly name: string; readonly range: string }
    | {
        readonly kind: "git";
        readonly url: string;
        readonly ref: string | undefined;
        readonly subdirectory: string;
      };
}

export function storeOf(planFolder: string): string {
  return join(planFolder, ".toolmount", "modules");
}

/** Reads the parts of `npm:name@range`, whose name the caller has checked. Throws `SOURCE_REFUSED` for an invalid range. */
export function readNpmRange(written: string, name: string, range: string, entry: string): FetchedSource {
  if (!/^[\w.^~<>=|*+ -]{1,128}$/.test(range) || range.trim() === "" || range.startsWith("-"))
    return refuse(written, "the text after @ is not a version range; write one such as ^2 or 1.4.0");
  // The alias ignores the path of the entry, so that two entries of one version share the package.
  const alias = aliasOf(name, entry === "" ? written : written.slice(0, -entry.length));
  return { kind: "fetched", written, alias, entry, from: { kind: "npm", name, range } };
}

const gitUrl = /^git\+(https|ssh|file):\/\/([^#]*)(?:#(.*))?$/;

/** Reads `git+https://host/repository@ref#subdirectory=folder`. Throws `SOURCE_REFUSED`. */
export function readGit(written: string): FetchedSource {
  const [, protocol = "", rest = "", fragment = ""] = gitUrl.exec(written) ?? [];
  if (protocol === "")
    return refuse(written, "the address of a repository begins with git+https://, git+ssh:// or git+file://");
  const slash = rest.indexOf("/");
  const host = rest.slice(0, slash);
  const at = rest.lastIndexOf("@");
  const hasRef = at > slash;
  const path = rest.slice(slash, hasRef ? at : undefined);
  const ref = hasRef ? rest.slice(at + 1) : undefined;
  if (slash < 0 || !isPlainPath(path)) return refuse(written, "this is not the address of a repository");
  if (protocol === "https" && host.includes("@"))
    return refuse(written, "the address contains a name or a password; use git's credential helpers instead");
  if (!/^(?:[\w.-]+@)?[\w.-]*(?::\d+)?$/.test(host) || host.startsWith("-"))
    return refuse(written, "this is not the address of a repository");
  if (ref !== undefined && (!/^[A-Za-z0-9_][\w./-]{0,199}$/.test(ref) || ref.includes("..")))
    return refuse(written, "the text after @ is not a branch, a tag or a commit");
  const subdirectory = readSubdirectory(written, fragment);
  const from = { kind: "git" as const, url: `${protocol}://${host}${path}`, ref, subdirectory };
  return { kind: "fetched", written, alias: aliasOf(nameOfRepository(from), written), from };
}

/**
 * Returns the name of a repository's package: the last folder of the subdirectory or, without one, of the repository's address.
 */
export function nameOfRepository({ url, subdirectory }: { url: string; subdirectory: string }): string {
  return (subdirectory || url)
    .split("/")
    .findLast((part) => part !== "")!
    .replace(/\.git$/, "");
}

function isPlainPath(path: string): boolean {
  return /^\/[\w.~/%+ -]+$/.test(path) && !path.split("/").includes("..");
}

function readSubdirectory(written: string, fragment: string): string {
  if (fragment === "") return "";
  const [, folder = ""] = /^subdirectory=([\w./@-]+)$/.exec(fragment) ?? [];
  const parts = folder.split("/").filter((part) => part !== "" && part !== ".");
  if (
    folder === "" ||
    folder.startsWith("/") ||
    parts.includes("..") ||
    parts.some((part) => part.startsWith("-"))
  )
    return refuse(written, "write subdirectory= and a folder of the repository after the #");
  return parts.join("/");
}

/** Makes an alias from the name and a digest of the whole source, so that two version ranges of one package are two packages. */
function aliasOf(name: string, written: string): string {
  const readable = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    .slice(0, 60);
  return `${readable || "module"}-${createHash("sha256").update(written).digest("hex").slice(0, 10)}`;
}

function refuse(source: string, problem: string): never {
  throw new ToolmountError("SOURCE_REFUSED", { source: source.slice(0, 200), problem });
}
