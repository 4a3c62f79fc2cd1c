import { realpathSync } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";
import { isBelow } from "@toolmount/paths";
import { ownFolder } from "./folder-facts.ts";

/**
 * Where programs in a layer find the person's own folder. They cannot change it. Residents have the rights of the host, so
 * they import code from there: commands may have changed what the view shows.
 */
export function personFolder(folder: string): string {
  return join(folder, ownFolder, "person");
}

/** Lets paths of the folder in a text, such as a list of folders, lead into the person's own folder. */
export function toPerson(folder: string, text: string): string {
  return replacePaths(text, folder, personFolder(folder));
}

/** Lets such paths lead into what the layer shows again. */
export function fromPerson(folder: string, text: string): string {
  return replacePaths(text, personFolder(folder), folder);
}

/** The folders of a `PATH` that a change of the folder cannot change, without links. */
export function pathOutside(folder: string, path = ""): string {
  const places = realPlaces(path).filter((place) => !isBelow(place, folder));
  return places.join(delimiter);
}

/** A `PATH` whose folders in the folder lead into the person's own one. Those without a root would lead into the layer. */
export function pathOfPerson(folder: string, path: string): string {
  return toPerson(folder, realPlaces(path).join(delimiter));
}

function realPlaces(path: string): readonly string[] {
  return path.split(delimiter).filter(isAbsolute).map(realPlace);
}

/** The place of a path without links; a path that does not exist stays. */
export function realPlace(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function replacePaths(text: string, from: string, to: string): string {
  const parts = text.split(/([:=\s])/);
  return parts.map((part) => (part.startsWith(`${from}/`) ? to + part.slice(from.length) : part)).join("");
}
