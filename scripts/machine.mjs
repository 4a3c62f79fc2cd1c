// What the tests need of a machine, so that one line says at once what would otherwise fail late and unclearly.
import { existsSync, statfsSync } from "node:fs";
import { freemem, tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const root = join(import.meta.dirname, "..");

/** By program: what its tests are about. `scripts/system-packages.sh` installs them. */
const needs = {
  bwrap: "sandboxes and borders",
  chromium: "the operator's page",
  socat: "the border srt",
  strace: "a disk that fails",
  "redis-server": "fleets over Redis",
};

/** The tests write about so many bytes, and use so much memory. */
const mostBytes = { disk: 2e9, memory: 3e9 };

/** A line for each thing that the tests need and this machine lacks. */
export function lacks({ programs = findProgram, free = freeBytes, memory = freemem } = {}) {
  const megabytes = (bytes) => `${Math.round(bytes / 1e6)} MB`;
  return [
    ...[...new Set([root, tmpdir()])]
      .filter((folder) => free(folder) < mostBytes.disk)
      .map((folder) => `only ${megabytes(free(folder))} are free in ${folder}; the tests write about 2 GB`),
    ...(memory() < mostBytes.memory
      ? [`only ${megabytes(memory())} of memory are free; the tests use up to 3 GB`]
      : []),
    ...Object.entries(needs)
      .filter(([name]) => programs(name) === undefined)
      .map(
        ([name, what]) =>
          `${name} is not on PATH, so tests of ${what} fail or are skipped; scripts/system-packages.sh installs it`,
      ),
  ];
}

function findProgram(name) {
  const paths = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  return paths.find((path) => existsSync(path));
}

function freeBytes(folder) {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}
