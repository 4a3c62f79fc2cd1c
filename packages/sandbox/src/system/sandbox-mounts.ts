import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { isBelow } from "@toolmount/paths";
import { cover, ownProcesses } from "./own-processes.ts";

/** What exists in a sandbox. Paths are absolute. */
export interface SandboxMounts {
  /** Current folder. It is empty unless it is among the paths. */
  readonly cwd: string;
  /** Files and folders that can be read. */
  readonly read: readonly string[];
  /** The same, for those that are still there. */
  readonly readIfThere?: readonly string[] | undefined;
  /** Files and folders that can be changed. */
  readonly write: readonly string[];
  /** What cannot be changed, although a folder around it can. A path that does not exist is skipped. */
  readonly denied: readonly string[];
  /** What cannot be read, although a folder around it can; a path that can be read by its own name, or by one below, can. */
  readonly secret?: readonly string[] | undefined;
  /** Whether the network is that of the machine. Without, there is not even its loopback. */
  readonly network: boolean;
  /** Megabytes that `/tmp` and `/dev/shm` can hold each; 1024 if not given. */
  readonly memoryMb?: number | undefined;
}

/** Folders of a sandbox whose files are in memory, and which can be written. */
export const memoryFolders: readonly string[] = ["/tmp", "/dev/shm"];

const defaultMemoryMb = 1_024;

/** Bytes that each of them can hold where the plan does not say how much. */
export const maxMemoryBytes = defaultMemoryMb * 1_048_576;

/** An empty folder in memory that can hold so much. */
function memoryFolder(path: string, memoryMb = defaultMemoryMb): readonly string[] {
  return ["--size", String(memoryMb * 1_048_576), "--tmpfs", path];
}

/** The devices that every program needs. Beside them only files of a bounded size can be made. */
function devices(memoryMb?: number): readonly string[] {
  return ["--dev", "/dev", ...memoryFolder("/dev/shm", memoryMb), "--remount-ro", "/dev"];
}

/** The system's programs and libraries, and the files that they need for names, times and certificates. */
const system = [
  "/usr",
  "/bin",
  "/sbin",
  "/lib",
  "/lib32",
  "/lib64",
  "/libx32",
  "/nix/store",
  "/run/current-system",
];
const settings = [
  "alternatives",
  "ca-certificates",
  "group",
  "hosts",
  "ld.so.cache",
  "ld.so.conf",
  "ld.so.conf.d",
  "localtime",
  "nsswitch.conf",
  "passwd",
  "pki",
  "resolv.conf",
  "ssl",
  "terminfo",
  "timezone",
].map((name) => `/etc/${name}`);

/**
 * The mounts of a sandbox: the system's programs, the given paths, an empty `/tmp` of a bounded size, processes and users of
 * its own, and without `network` no network. Any other path does not exist.
 */
export function sandboxMounts(mounts: SandboxMounts): readonly string[] {
  const { cwd, read, readIfThere = [], write, denied, secret = [], network, memoryMb } = mounts;
  const isRootWritten = write.includes("/");
  return [
    "--unshare-all",
    ...(network ? ["--share-net"] : []),
    ...bind("--ro-bind-try", [...system, ...settings]),
    ...memoryFolder("/tmp", memoryMb),
    "--dir",
    cwd,
    ...bind("--ro-bind", read),
    ...bind("--ro-bind-try", readIfThere),
    ...bind("--bind", write),
    ...deniedMounts(write, denied),
    ...secretMounts(secret, { read: [...read, ...readIfThere], write }),
    // After the folders, so that a grant of "/" does not bring in the processes and devices of the machine.
    ...ownProcesses(),
    ...devices(memoryMb),
    // The folders above those are in memory, too.
    ...(isRootWritten ? [] : ["--remount-ro", "/"]),
  ];
}

/** A sandbox in which all files exist, and few are writable. Paths are absolute. */
export interface WallMounts {
  readonly cwd: string;
  readonly write: readonly string[];
  readonly denied: readonly string[];
  readonly secret: readonly string[];
  /** What can be read although it is secret, or in the machine's `/tmp` or `/run`. */
  readonly read: readonly string[];
  /** The folder that programs see as `/tmp`. */
  readonly temporary: string;
  /** Whether the network is that of the machine; default true. */
  readonly network?: boolean | undefined;
}

/**
 * The mounts of a sandbox in which all files but secret ones are readable. Only the current folder, the write paths and a
 * `/tmp` of its own are writable. Sockets in `/run`, such as Docker's, do not exist. The network stays, unless it is `false`.
 */
export function wallMounts({
  cwd,
  write,
  denied,
  read,
  temporary,
  network = true,
  ...mounts
}: WallMounts): readonly string[] {
  const folders = [cwd, ...write];
  // The machine's /tmp and /run are not there.
  const secret = mounts.secret.filter(
    (path) => isBelowAny(path, folders) || !isBelowAny(path, ["/tmp", "/run"]),
  );
  return [
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    ...(network ? [] : ["--unshare-net"]),
    ...bind("--ro-bind", ["/"]),
    ...ownProcesses(),
    ...devices(),
    ...memoryFolder("/run"),
    ...bind("--ro-bind-try", ["/run/systemd/resolve", "/run/current-system"]),
    "--bind",
    temporary,
    "/tmp",
    ...bind(
      "--ro-bind-try",
      read.filter((path) => isBelowAny(path, ["/tmp", "/run"])),
    ),
    ...bind("--bind", folders),
    ...deniedMounts(folders, denied),
    ...secretMounts(secret, { read: ["/", ...read], write: folders }),
  ];
}

/**
 * The mounts that keep paths in writable folders from being changed; other paths need none, and must not be brought in. The
 * folders between a writable one and such a path are mounts, too: the kernel moves no mount, and a moved folder could be
 * replaced by another one.
 */
function deniedMounts(write: readonly string[], denied: readonly string[]): readonly string[] {
  const paths = denied.filter((path) => isAbsolute(path) && isBelowAny(path, write) && existsSync(path));
  const folders = paths.flatMap((path) => foldersBetween(path, write));
  return [...bind("--bind", [...new Set(folders)].toSorted()), ...bind("--ro-bind-try", paths)];
}

/**
 * The mounts that keep paths from being read: a folder is empty, and a file cannot be opened. They come after those of all
 * folders. What is granted below such a folder appears in it. A path that does not exist is skipped.
 */
function secretMounts(
  secret: readonly string[],
  { read, write }: Pick<SandboxMounts, "read" | "write">,
): readonly string[] {
  const granted = [...read, ...write];
  const places = granted.map((root) => ({ root, place: existingPlace(root)[0] ?? root }));
  const shown = secret
    .flatMap(existingPlace)
    .flatMap((real) =>
      places.some(({ place }) => place === real)
        ? []
        : places
            .filter(({ place }) => isBelow(real, place))
            .map(({ root, place }) => join(root, relative(place, real))),
    );
  const paths = [...new Set(shown)];
  const folders = paths.flatMap((path) => foldersBetween(path, write));
  const below = (path: string, roots: readonly string[]) => roots.filter((root) => isBelow(root, path));
  const covers = paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? [
          "--tmpfs",
          path,
          ...bind("--ro-bind-try", below(path, read)),
          ...bind("--bind", below(path, write)),
          "--remount-ro",
          path,
        ]
      : cover(path),
  );
  return [...bind("--bind", [...new Set(folders)].toSorted()), ...covers];
}

/** The real place of a path: a mount over a link would cover only the link. */
function existingPlace(path: string): string[] {
  try {
    return [realpathSync.native(path)];
  } catch {
    return [];
  }
}

function foldersBetween(path: string, roots: readonly string[]): string[] {
  const folder = dirname(path);
  return isBelowAny(folder, roots) && !roots.includes(folder)
    ? [...foldersBetween(folder, roots), folder]
    : [];
}

function isBelowAny(path: string, roots: readonly string[]): boolean {
  return roots.some((root) => isBelow(path, root));
}

function bind(option: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => [option, path, path]);
}
