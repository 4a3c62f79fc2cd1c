import { unknownWord, type ShellWord } from "../script/words.ts";
import { list } from "./option-table.ts";

/** How a command that runs another command parses its own arguments. */
interface Wrapper {
  /** Short options that take a value, in the same word or the next. */
  readonly valued?: string;
  /** Short options without a value. */
  readonly flags?: string;
  /** Long options that take a value after `=` or in the next word. */
  readonly longValued?: readonly string[];
  readonly longFlags?: readonly string[];
  /** Number of own words before the inner command. */
  readonly operands?: number;
  /** Whether `NAME=value` words may precede the inner command, as with `env`. */
  readonly assignments?: boolean;
  /** Whether a number such as `-5` is an option, as with `nice`. */
  readonly numbers?: boolean;
  /** Whether the wrapper appends arguments to the inner command that are known only when it runs, as `xargs` does. */
  readonly adds?: boolean;
}

/** Commands whose inner command is judged. With an option that is not listed here, the command is unclear. */
const wrappers: ReadonlyMap<string, Wrapper> = new Map(
  Object.entries({
    command: { flags: "p" },
    builtin: {},
    exec: { flags: "cl", valued: "a" },
    env: {
      flags: "i0v",
      valued: "uC",
      longFlags: list("--ignore-environment --null --debug --list-signal-handling"),
      longValued: list("--unset --chdir --default-signal --ignore-signal --block-signal"),
      assignments: true,
    },
    nohup: {},
    nice: { valued: "n", longValued: list("--adjustment"), numbers: true },
    ionice: {
      valued: "cn",
      flags: "t",
      longValued: list("--class --classdata"),
      longFlags: list("--ignore"),
    },
    time: { flags: "pv", longFlags: list("--portability --verbose") },
    timeout: {
      valued: "ks",
      flags: "vfp",
      longValued: list("--kill-after --signal"),
      longFlags: list("--preserve-status --foreground --verbose"),
      operands: 1,
    },
    setsid: { flags: "cfw", longFlags: list("--ctty --fork --wait") },
    stdbuf: { valued: "ioe", longValued: list("--input --output --error") },
    xargs: {
      flags: "0rtxopi",
      valued: "IdELnPsa",
      longFlags: list("--null --no-run-if-empty --verbose --exit --open-tty --interactive"),
      longValued: list("--arg-file --delimiter --max-lines --max-args --max-procs --max-chars --replace"),
      adds: true,
    },
    busybox: {},
    toybox: {},
    coreutils: { longValued: list("--coreutils-prog") },
    caffeinate: { flags: "dimsu" },
    catchsegv: {},
    unbuffer: { flags: "p" },
    chronic: { flags: "ev" },
    fakeroot: { longFlags: list("--unknown-is-real") },
    firejail: { longFlags: list("--quiet") },
  }),
);

/** The command that a wrapper runs, as words; `none` if it runs no command, `unclear` if that is not known. */
type Unwrapped = readonly ShellWord[] | "none" | "unclear";

/** Whether a command runs the command that is in its arguments. */
export function isWrapper(name: string): boolean {
  return wrappers.has(name);
}

/** Returns the inner command of a wrapper; null if the command is not a wrapper. */
export function unwrap(name: string, command: readonly ShellWord[]): Unwrapped | null {
  const wrapper = wrappers.get(name);
  if (wrapper === undefined) return null;
  if (name === "command" && /^-[pvV]*[vV]/.test(command[1]?.value ?? "")) return "none";
  const start = skipOwn(wrapper, command);
  if (start === null) return "unclear";
  const inner = command.slice(start);
  if (inner.length === 0) return "none";
  if (wrapper.adds !== true) return inner;
  return [...replaceMarker(inner, markerOf(command.slice(0, start))), unknownWord];
}

function skipOwn(wrapper: Wrapper, command: readonly ShellWord[]): number | null {
  let at = 1;
  for (; at < command.length; at++) {
    const { value } = command[at]!;
    if (value === null) return isUnsure(command[at]!) ? null : at + (wrapper.operands ?? 0);
    if (value === "--") {
      at++;
      break;
    }
    if (!value.startsWith("-") || value === "-") break;
    const takesNext = ownOption(wrapper, value);
    if (takesNext === null) return null;
    if (takesNext) at++;
  }
  if (wrapper.assignments === true) {
    if (command[at]?.value === "-") at++;
    while (/^[^=]+=/.test(command[at]?.prefix ?? "")) at++;
  }
  return Math.min(command.length, at + (wrapper.operands ?? 0));
}

function isUnsure({ prefix }: ShellWord): boolean {
  return prefix === "" || prefix.startsWith("-");
}

/** Whether an option of the wrapper takes the next word as its value; null if the option is not known. */
function ownOption(wrapper: Wrapper, value: string): boolean | null {
  const { valued = "", flags = "", longValued = [], longFlags = [], numbers = false } = wrapper;
  if (numbers && /^-\d+$/.test(value)) return false;
  if (value.startsWith("--")) {
    const [option, given] = value.split("=", 2);
    if (longValued.includes(option!)) return given === undefined && !optionalValue.has(option!);
    return longFlags.includes(option!) ? false : null;
  }
  for (const [index, letter] of value.slice(1).split("").entries()) {
    if (valued.includes(letter)) return index === value.length - 2;
    if (!flags.includes(letter)) return null;
  }
  return false;
}

const optionalValue = new Set([
  "--default-signal",
  "--ignore-signal",
  "--block-signal",
  "--replace",
  "--max-lines",
]);

/** Returns the marker that `xargs` replaces in the inner command; null if it replaces none. */
function markerOf(own: readonly ShellWord[]): string | null {
  for (const [index, { value }] of own.entries()) {
    if (value === "-I") return own[index + 1]?.value ?? "{}";
    if (value?.startsWith("-I") === true) return value.slice(2);
    if (value === "-i" || value === "--replace") return "{}";
    if (value?.startsWith("--replace=") === true) return value.slice("--replace=".length);
  }
  return null;
}

/** Replaces words with the marker by words of unknown value. */
function replaceMarker(words: readonly ShellWord[], marker: string | null): readonly ShellWord[] {
  if (marker === null || marker === "") return words;
  return words.map((word) => {
    if (word.value === null || !word.value.includes(marker)) return word;
    const prefix = word.value.slice(0, word.value.indexOf(marker));
    return { ...word, value: null, prefix };
  });
}

/** Returns the commands that `find` runs; `unclear` if the end of one is missing. */
export function commandsOfFind(command: readonly ShellWord[]): readonly (readonly ShellWord[])[] | "unclear" {
  const found: (readonly ShellWord[])[] = [];
  for (let at = 1; at < command.length; at++) {
    if (!/^-(exec|ok)(dir)?$/.test(command[at]!.value ?? "")) continue;
    const end = command.findIndex(({ value }, index) => index > at && (value === ";" || value === "+"));
    if (end === -1) return "unclear";
    found.push(replaceMarker(command.slice(at + 1, end), "{}"));
    at = end;
  }
  return found;
}

/** Commands that run other commands in ways that are not analysed. */
export const runners: ReadonlySet<string> = new Set(
  `ssh at batch crontab script expect flock parallel chroot unshare nsenter bwrap strace ltrace gdb lldb valgrind perf
  systemd-run start-stop-daemon runuser setpriv capsh su-exec gosu taskset chrt numactl prlimit watch entr tmux screen
  docker podman nerdctl kubectl vagrant wsl xvfb-run dbus-run-session rlwrap socat ncat netcat telnet vi vim nvim view
  ex ed emacs nano pico joe dialog x-terminal-emulator xterm osascript open xdg-open start rundll32 mshta wmic powershell
  pwsh cmd nc setarch linux32 linux64 uname26 x86_64 i386 i486 i586 i686 arm64 aarch64 ppc64 s390x choom sg newgrp ip runcon
  systemd-inhibit systemd-nspawn machinectl pkttyagent ssh-agent npx bunx pnpx uvx pipx m4 gnuplot dc sqlite3 mail mailx sendmail logsave cpulimit proot ld.so
  ld-linux-x86-64.so.2 run-parts rbash scriptreplay`.split(/\s+/),
);
