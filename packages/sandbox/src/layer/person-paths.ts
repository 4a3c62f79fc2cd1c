import { join } from "node:path";
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

function replacePaths(text: string, from: string, to: string): string {
  const parts = text.split(/([:=\s])/);
  return parts.map((part) => (part.startsWith(`${from}/`) ? to + part.slice(from.length) : part)).join("");
}
