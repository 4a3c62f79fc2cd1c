/** A system call's numbers on x86-64 and on 64-bit ARM; null if that processor does not have it. */
export type CallNumbers = readonly [x64: number, arm64: number | null];

/**
 * Calls that every sandbox refuses. They reach into other processes, into the kernel or into settings of the whole machine.
 * Most need a capability that a program in a sandbox does not have, but flaws have let programs get around that in the past.
 */
export const deniedCalls = {
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  unshare: [272, 97],
  setns: [308, 268],
  bpf: [321, 280],
  userfaultfd: [323, 282],
  perf_event_open: [298, 241],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  swapon: [167, 224],
  swapoff: [168, 225],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  acct: [163, 89],
  syslog: [103, 116],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  vhangup: [153, 58],
  open_by_handle_at: [304, 265],
  lookup_dcookie: [212, 18],
  nfsservctl: [180, 42],
  migrate_pages: [256, 238],
  move_pages: [279, 239],
  iopl: [172, null],
  ioperm: [173, null],
  modify_ldt: [154, null],
  uselib: [134, null],
} as const satisfies Record<string, CallNumbers>;

/**
 * Calls that the sandbox reports as missing, so that programs use the older ones, whose arguments a filter can see. The
 * arguments of `clone3` and `openat2` are in memory, and so are the requests of io_uring.
 */
export const missingCalls = {
  clone3: [435, 435],
  openat2: [437, 437],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
} as const satisfies Record<string, CallNumbers>;

/** Calls that make memory which belongs to no process and no folder, so that the host cannot count it. */
export const uncountedCalls = {
  memfd_create: [319, 279],
  memfd_secret: [447, 447],
  shmget: [29, 194],
  msgget: [68, 186],
} as const satisfies Record<string, CallNumbers>;

/** Calls that are allowed with some arguments and refused with others. */
export const judgedCalls = {
  clone: [56, 220],
  personality: [135, 92],
  socket: [41, 198],
  socketpair: [53, 199],
} as const satisfies Record<string, CallNumbers>;

/** A call that sets a file's mode: which argument is the mode, and which has the flags that say whether the mode is used. */
export interface ModeCall {
  readonly call: readonly [x64: number | null, arm64: number | null];
  readonly mode: number;
  readonly flags?: number;
}

/** Calls that could make a program that runs with the rights of its owner. */
export const modeCalls: Readonly<Record<string, ModeCall>> = {
  chmod: { call: [90, null], mode: 1 },
  fchmod: { call: [91, 52], mode: 1 },
  fchmodat: { call: [268, 53], mode: 2 },
  fchmodat2: { call: [452, 452], mode: 2 },
  creat: { call: [85, null], mode: 1 },
  mknod: { call: [133, null], mode: 1 },
  mknodat: { call: [259, 33], mode: 2 },
  open: { call: [2, null], mode: 2, flags: 1 },
  openat: { call: [257, 56], mode: 3, flags: 2 },
};
