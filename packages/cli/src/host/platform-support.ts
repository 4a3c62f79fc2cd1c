/** How an operating system supports a part of toolmount: `yes`, or what is missing, as in docs/reference/platforms.md. */
interface PartSupport {
  readonly part: string;
  readonly linux: string;
  readonly darwin: string;
  readonly win32: string;
}

const yes = "yes";

/**
 * The rows of docs/reference/platforms.md. A cell is `yes`, or a short sentence that says what is missing and what happens
 * instead.
 */
export const platformSupport: readonly PartSupport[] = [
  {
    part: "plans, tools in the host's process, policy, `serve`, `run`, `chat`",
    linux: yes,
    darwin: yes,
    win32: "not supported yet: no release was tested on it",
  },
  {
    part: "the bash tools",
    linux: yes,
    darwin: yes,
    win32: "refused with `CONFIG_INVALID` when a plan mounts them; WSL works",
  },
  {
    part: "the border `bubblewrap`, and bash in a sandbox",
    linux: yes,
    darwin: "there is none: `SANDBOX_UNAVAILABLE`; use `srt`",
    win32: "there is none: `SANDBOX_UNAVAILABLE`",
  },
  {
    part: "the border `srt`",
    linux: yes,
    darwin: yes,
    win32: "there is none: `SANDBOX_UNAVAILABLE`",
  },
  { part: "the border `permission`", linux: yes, darwin: yes, win32: yes },
  {
    part: "a limit of memory of a tool's process",
    linux: yes,
    darwin: "Node's own limit only: memory outside of its heap is not measured",
    win32: "Node's own limit only: memory outside of its heap is not measured",
  },
  {
    part: "paths that change between check and use",
    linux: "the kernel is asked for the path of an open file",
    darwin: "identities before and after are compared, which leaves a moment",
    win32: "identities before and after are compared, which leaves a moment",
  },
  {
    part: "ending MCP servers and hooks with all that they started",
    linux: yes,
    darwin: yes,
    win32: "`taskkill /t`, which does not find a process whose parent has ended; no SIGTERM before it",
  },
  {
    part: "MCP servers and tool processes end when the host is killed",
    linux: yes,
    darwin: "MCP servers: yes; a process that a tool blocks: only when it is done",
    win32: "when they notice that their input or channel is closed",
  },
  {
    part: "files of tokens and credentials that only their owner reads",
    linux: yes,
    darwin: yes,
    win32: "by the access list of their folder; modes are not checked",
  },
  {
    part: "answers on stdout apart from what tools print",
    linux: yes,
    darwin: yes,
    win32: "except for output of native code and of programs that inherit stdout",
  },
];

/** Returns a sentence for each part that an operating system does not support and Linux does. */
export function unsupportedOn(platform: NodeJS.Platform): readonly string[] {
  if (platform !== "linux" && platform !== "darwin" && platform !== "win32")
    return ["not supported; Linux and macOS are (docs/reference/platforms.md)"];
  if (platform === "linux") return [];
  return platformSupport
    .filter((row) => row[platform] !== yes && row[platform] !== row.linux)
    .map((row) => `${row.part}: ${row[platform]}`.replaceAll("`", ""));
}
