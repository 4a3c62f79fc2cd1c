/** The surroundings that bubblewrap builds for one process and its children. Paths are absolute. */
export interface BubblewrapPlace {
  /** Current folder of the process. It is empty unless it is granted. */
  readonly cwd: string;
  /** Files and folders that it can read. */
  readonly read: readonly string[];
  /** Files and folders that it can read where they exist. */
  readonly readIfThere?: readonly string[] | undefined;
  /** Files and folders that it can change. */
  readonly write: readonly string[];
  /** What it cannot change, although a folder around it can be written. A path that does not exist is skipped. */
  readonly denied: readonly string[];
  /** Whether it uses the network of the machine. Without, it has not even loopback. */
  readonly network: boolean;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Descriptor on which bubblewrap reports the process id inside, as JSON lines. */
  readonly statusDescriptor?: number | undefined;
}

/** Of the system: its programs and libraries, and the settings that they need for names, times and certificates. */
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
 * The arguments of `bwrap`, up to the program that it starts. The program gets its own process ids, mounts, users and
 * environment, and its own network when `network` is false. A path that is not bound does not exist inside; only the
 * write paths can be changed. The kernel ends every process inside when the first one ends, or when bubblewrap's parent
 * ends.
 */
export function bubblewrapArguments(place: BubblewrapPlace): readonly string[] {
  const { cwd, read, readIfThere = [], write, denied, network, env, statusDescriptor } = place;
  return [
    "--unshare-all",
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    ...(statusDescriptor === undefined ? [] : ["--json-status-fd", String(statusDescriptor)]),
    ...(network ? ["--share-net"] : []),
    ...bind("--ro-bind-try", [...system, ...settings]),
    "--tmpfs",
    "/tmp",
    "--dir",
    cwd,
    ...bind("--ro-bind-try", readIfThere),
    ...bind("--ro-bind", read),
    ...bind("--bind", write),
    ...bind("--ro-bind-try", denied),
    // After the folders, so that a grant of "/" does not bring in the processes and devices of the machine.
    "--proc",
    "/proc",
    "--dev",
    "/dev",
    "--chdir",
    cwd,
    ...Object.entries(env).flatMap(([name, value]) => ["--setenv", name, value]),
    "--",
  ];
}

function bind(option: string, paths: readonly string[]): string[] {
  return paths.flatMap((path) => [option, path, path]);
}
