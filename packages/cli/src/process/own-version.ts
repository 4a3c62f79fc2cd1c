import { readFileSync } from "node:fs";

export function readOwnVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL(import.meta.resolve("#package.json")), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
