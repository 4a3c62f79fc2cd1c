import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, join, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { isBelow } from "@toolmount/paths";
import { ownFolder } from "./folder-facts.ts";

/**
 * Returns the path under which programs in a layer see the person's own folder, which they cannot change. Residents have the
 * rights of the host, so they import code from there: commands may have changed what the view shows.
 */
export function personFolder(folder: string): string {
  return join(folder, ownFolder, "person");
}

/** Replaces paths of the folder in a text, such as a list of folders, by paths into the person's own folder. */
export function toPerson(folder: string, text: string): string {
  const real = realPlace(folder);
  return replacePaths(text, real, personFolder(real));
}

const lists = /^(?:NODE_PATH|LD_LIBRARY_PATH|OPENSSL_MODULES|OPENSSL_ENGINES)$/;

/**
 * Returns the value of a variable by which a program finds code. Paths into the folder, also relative ones, links and URLs, are
 * replaced by paths into the person's own folder.
 */
export function codeOfPerson(folder: string, name: string, value: string): string {
  const own = (path: string) => toPerson(folder, realPlace(resolve(folder, path)));
  const part = (text: string) => (/^(?:\.{0,2}\/|file:)/.test(text) ? ofUrl(text, own) : text);
  if (lists.test(name)) return value.split(delimiter).filter(Boolean).map(own).join(delimiter);
  if (name === "LD_PRELOAD")
    return value
      .split(/[:\s]+/)
      .map(part)
      .join(delimiter);
  if (name !== "NODE_OPTIONS") return part(value);
  const options = wordsOf(value).map((word) => word.replace(/(?<=^(?:-[^=]*=)?)[^-].*$/s, part));
  return options.map((word) => (/[\s"\\]/.test(word) ? JSON.stringify(word) : word)).join(" ");
}

function ofUrl(text: string, own: (path: string) => string): string {
  const url = text.startsWith("file:") ? URL.parse(text) : null;
  if (url === null) return own(text);
  return pathToFileURL(own(fileURLToPath(url))).href + url.search + url.hash;
}

/**
 * Splits `NODE_OPTIONS` into words. A part in quotes may have spaces, and a backslash in it keeps the next character as it is.
 */
function wordsOf(text: string): readonly string[] {
  const words = text.match(/(?:"(?:\\.|[^"\\])*"?|[^\s"])+/gs) ?? [];
  const unquoted = (quoted: string) => quoted.replaceAll(/^"|"$/g, "").replaceAll(/\\(.)/gs, "$1");
  return words.map((word) => word.replaceAll(/"(?:\\.|[^"\\])*"?/gs, unquoted));
}

/**
 * Returns a resident's environment for a program that the resident starts behind a border. The program finds commands and code
 * as the layer shows them.
 */
export function shownEnvironment<Env extends Readonly<Record<string, string | undefined>>>(
  folder: string,
  env: Env,
): Env {
  const real = realPlace(folder);
  const shown = (text?: string) => text && replacePaths(text, personFolder(real), real);
  return Object.fromEntries(Object.entries(env).map(([name, value]) => [name, shown(value)])) as Env;
}

/** Returns the folders of a `PATH` that are outside of the folder, without links, so that no change in it concerns them. */
export function pathOutside(folder: string, path = ""): string {
  const places = realPlaces(path).filter((place) => !isBelow(place, folder));
  return places.join(delimiter);
}

/**
 * Returns a `PATH` whose entries in the folder lead into the person's own folder. Relative entries are left out, because they
 * would lead into the layer.
 */
export function pathOfPerson(folder: string, path: string): string {
  return toPerson(folder, realPlaces(path).join(delimiter));
}

function realPlaces(path: string): readonly string[] {
  return path.split(delimiter).filter(isAbsolute).map(realPlace);
}

/** Returns the place of a path without links; a path that does not exist stays as it is. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Replaces a path, and the start of paths below it, wherever a text has it as a whole part. The path may have spaces. */
function replacePaths(text: string, from: string, to: string): string {
  const [first = "", ...rest] = text.split(from);
  return rest.reduce((before, after) => {
    const isPart = /(?:^|[:=\s"'])$/.test(before) && /^(?:$|[/:=\s"'])/.test(after);
    return before + (isPart ? to : from) + after;
  }, first);
}
