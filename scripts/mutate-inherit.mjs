// Loaded by each program of `mutate.mjs`: what it starts gets the descriptors of the mutations, also behind a border, to which the
// product passes no descriptor that its host has.
import childProcess from "node:child_process";
import { fstatSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";

const descriptors = JSON.parse(process.env.MUTATE_DESCRIPTORS);
const { spawn } = childProcess;

/**
 * Only a program of sources can run a mutation. The attempts by which a sandbox proves itself come on standard input, and fail
 * where they find a descriptor of the host.
 */
const isOfSources = (words) =>
  Array.isArray(words) && words.some((word) => /\/(?:src|dist)\/.+\.[cm]?[jt]s$/.test(word));

childProcess.spawn = (file, ...rest) => {
  const pass = (one) => (Array.isArray(one?.stdio) ? { ...one, stdio: withDescriptors(one.stdio) } : one);
  return spawn(file, ...(isOfSources(rest[0]) ? rest.map(pass) : rest));
};
syncBuiltinESMExports();

function withDescriptors(given) {
  const { place, active, reached } = descriptors;
  const own = [
    [place, globalThis.mutations?.place],
    [active, active],
    [reached, reached],
  ];
  const stdio = [...given];
  for (const [at, descriptor] of own) if (isOpen(descriptor)) stdio[at] = descriptor;
  return Array.from(stdio, (one) => one ?? "ignore");
}

/** A program may have been started without them. */
function isOpen(descriptor) {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}
