import { existsSync, realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import { isBelow } from "@toolmount/paths";
import { cover, ownProcesses } from "./own-processes.ts";

/** The files, folders and network of a sandbox. Paths are absolute. */
export interface SandboxMounts {
  /** The folder in which the program starts. It is empty unless it is among the other paths. */
  readonly cwd: string;
  /** Files and folders that can be read. */
  readonly read: readonly string[];
  /** Files and folders that can be read, if they still exist. */
  readonly readIfThere?: readonly string[] | undefined;
  /** Files and folders that can be changed. */
  readonly write: readonly string[];
  /** Paths that cannot be changed, although a folder around them can. A path that does not exist is skipped. */
  readonly denied: readonly string[];
  /**
   * Paths that cannot be read, although a folder around them can. A path in `read` or `write` can be read even if it is secret
   * or below a secret path.
   */
  readonly secret?: readonly string[] | undefined;
  /** Whether the sandbox has the machine's network. If not, it does not even have the machine's loopback. */
  readonly network: boolean;
  /** Megabytes that `/tmp` and `/dev/shm` can hold each. Default 1024. */
  readonly memoryMb?: number | undefined;
}

/** Folders of a sandbox that are writable and whose files are in memory. */
export const memoryFolders: readonly string[] = ["/tmp", "/dev/shm"];

const defaultMemoryMb = 1_024;

/** Bytes that each of the memory folders can hold if the plan does not set a limit. */
export const maxMemoryBytes = defaultMemoryMb * 1_048_576;

/** Returns the arguments for an empty folder in memory with a maximal size. */
function memoryFolder(path: string, memoryMb = defaultMemoryMb): readonly string[] {
  return ["--size", String(memoryMb * 1_048_576), "--tmpfs", path];
}

/**
 * Returns the arguments for a `/dev` with the devices that every program needs. It is read-only except for `/dev/shm`, which
 * can hold at most `memoryMb`.
 */
function devices(memoryMb?: number): readonly string[] {
  return ["--dev", "/dev", ...memoryFolder("/dev/shm", memoryMb), "--remount-ro", "/dev"];
}

/** Paths of the system's programs and libraries, and of files for names, times and certificates. */
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
 * Returns the mounts of a sandbox: the system's programs, the given paths, an empty `/tmp` of limited size, separate processes
 * and users and, without `network`, no network. No other path exists.
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
    // These come after the folders, so that a grant of "/" does not bring in the machine's processes and devices.
    ...ownProcesses(),
    ...devices(memoryMb),
    // The folders above the mounted paths are in memory, too, so they are made read-only.
    ...(isRootWritten ? [] : ["--remount-ro", "/"]),
  ];
}

/** Options for a sandbox in which all files exist, and few are writable. Paths are absolute. */
export interface WallMounts {
  readonly cwd: string;
  readonly write: readonly string[];
  readonly denied: readonly string[];
  readonly secret: readonly string[];
  /** Paths that can be read although they are secret, or in the machine's `/tmp` or `/run`. */
  readonly read: readonly string[];
  /** The folder that programs see as `/tmp`. */
  readonly temporary: string;
  /** Whether the sandbox has the machine's network. Default true. */
  readonly network?: boolean | undefined;
}

/**
 * Returns the mounts of a sandbox in which all files except secret ones are readable. Only the current folder, the `write`
 * paths and a separate `/tmp` are writable. Sockets in `/run`, such as Docker's, do not exist. The network stays unless it is
 * `false`.
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
  // The machine's /tmp and /run do not exist inside.
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
 * Returns the mounts that protect paths in writable folders; other paths need none, and must not appear. The folders between a
 * writable folder and such a path become mounts, too, because the kernel does not move mounts, while a plain folder could be
 * moved and replaced by another one.
 */
function deniedMounts(write: readonly string[], denied: readonly string[]): readonly string[] {
  const paths = denied.filter((path) => isAbsolute(path) && isBelowAny(path, write) && existsSync(path));
  const folders = paths.flatMap((path) => foldersBetween(path, write));
  return [...bind("--bind", [...new Set(folders)].toSorted()), ...bind("--ro-bind-try", paths)];
}

/**
 * Returns the mounts that make paths unreadable: a folder is empty, and a file cannot be opened. They come after the mounts of
 * all folders. Granted paths below such a folder appear in it. A path that does not exist is skipped.
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

/** Returns the real place of a path, because a mount over a link would cover only the link. */
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
