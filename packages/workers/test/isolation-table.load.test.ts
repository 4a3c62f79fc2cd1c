import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer, type AddressInfo, type Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { fileOf, processIds } from "./processes.ts";

/** Node keeps the network from a process only where it has `--allow-net`. */
const nodeCoversNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");

const borders = ["inline", "none", "permission", "bubblewrap", "srt"] as const;

type Border = (typeof borders)[number];

/** Only root can try both; for another user the first half is reported as skipped. */
const users = ["root", "a user"] as const;

type User = (typeof users)[number];

/** A user without any rights. */
const unprivileged = 65_534;

const isWritten = process.env["TOOLMOUNT_WRITE"] === "1";

const isRoot = process.getuid?.() === 0;

/** What the tool did, by attempt; null was refused. */
type Facts = Readonly<Record<string, string | null>>;

interface Row {
  readonly what: string;
  readonly word: (did: (name: string) => string | null) => string;
  /** What the page adds to some cells. */
  readonly notes?: Partial<Readonly<Record<Border, string>>>;
}

const yesNo = (name: string) => (did: (name: string) => string | null) => (did(name) === null ? "no" : "yes");

const either =
  (...names: readonly string[]) =>
  (did: (name: string) => string | null) =>
    names.some((name) => did(name) !== null) ? "yes" : "no";

/** The word for what only one of two attempts does. */
const both = (first: string, second: string, onlyFirst: string) => (did: (name: string) => string | null) => {
  if (did(first) === null) return "no";
  return did(second) === null ? onlyFirst : "yes";
};

const rows: readonly Row[] = [
  {
    what: "block or crash the host",
    word: (did) =>
      either("keep the host from its work", "end its process")(did) === "yes"
        ? "yes"
        : did("send a signal to the host") === null
          ? "no"
          : "by a signal",
  },
  {
    what: "see the host's environment variables",
    word: yesNo("have a variable of the host"),
    notes: { none: " ¹" },
  },
  {
    what: "read files that are not granted",
    word: both("read a file", "read a file of the home folder", "outside of the home folder"),
  },
  { what: "write files that are not granted", word: yesNo("write a file") },
  {
    what: "follow an existing link out of a granted folder",
    word: both("read through a link that is there", "write through a link that is there", "to read"),
  },
  {
    what: "start programs",
    word: (did) => {
      const where = did("see where a program runs");
      if (where === null) return "no";
      return where === "in a sandbox" ? "inside its own sandbox" : "yes";
    },
  },
  {
    what: "open the network",
    word: (did) => {
      if (did("connect to a service on loopback") !== null) return "yes";
      if (did("connect with the network") !== null) return "no, unless `network: any`";
      return did("reach a host that is listed") !== null && did("reach another host") === null
        ? "the listed hosts"
        : "no";
    },
  },
  {
    what: "send signals to the host",
    word: yesNo("send a signal to the host"),
    notes: { permission: " (switched off)" },
  },
  {
    what: "run code in the host by its inspector",
    word: yesNo("open the inspector of the host by a signal"),
    notes: { permission: " ²" },
  },
  {
    what: "change the kernel's settings, or mount a folder",
    word: either("write a setting of the kernel", "make a read-only folder writable"),
  },
  {
    what: "open a database with `node:sqlite`",
    word: (did) => {
      if (did("open a database with node:sqlite") !== null) return "yes";
      return did("open a database in a granted folder") === null ? "no" : "only where it can write";
    },
    notes: { permission: " (switched off)" },
  },
  { what: "leave processes behind", word: yesNo("a process is left"), notes: { none: " ³" } },
  { what: "use more memory than `memoryMb`", word: yesNo("have 500 MB") },
  { what: "be more than 512 processes", word: yesNo("be 520 processes") },
  { what: "use all of the processor", word: yesNo("use the processor") },
];

const page = fileURLToPath(new URL("../../../docs/reference/borders.md", import.meta.url));
const program = fileURLToPath(new URL("ability-attempts.ts", import.meta.url));
const heading = ["a tool can", "inline", "none", "permission", "bubblewrap", "srt on Linux"];

let folder: string;
let server: Server;
const found = new Map<string, Facts>();

beforeAll(async () => {
  // Not in /tmp, which sandboxes cover.
  folder = realpathSync(mkdtempSync("/var/tmp/toolmount-table-"));
  server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  await once(server, "listening");
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

for (const user of users)
  describe.runIf(isRoot || user !== "root").each(borders)(`a host of ${user}, behind %s`, (border) => {
    const id = `${process.pid}${users.indexOf(user)}${borders.indexOf(border)}`;
    beforeAll(async () => {
      found.set(`${user} ${border}`, await tryAll(user, border, id));
    });
    afterAll(() => {
      for (const pid of [...processesWith(`600.${id}`), ...processesWith(`900.${id}`)])
        process.kill(pid, "SIGKILL");
    });

    test.each(rows)("$what: as the page says", ({ what, word }) => {
      const facts = found.get(`${user} ${border}`)!;
      const cell = cellsOf(readFileSync(page, "utf8"), what)[borders.indexOf(border)];
      const seen = word((name) => facts[name] ?? null);
      // The page may be written from this run, below.
      const expected = isWritten ? seen : wordOf(cell, user);
      expect({ what, word: seen, facts }).toMatchObject({ word: expected });
    });
  });

test("the table of the page has these rows and no others", () => {
  const [, ...names] = tableOf(readFileSync(page, "utf8")).map((line) => line.split("|")[1]!.trim());
  expect(names.slice(1)).toEqual(rows.map(({ what }) => what));
});

// As root and before Node 25, where all of it can be tried: `TOOLMOUNT_WRITE=1 vitest run isolation-table`.
test.runIf(isWritten && isRoot && !nodeCoversNetwork)(
  "the table of the page is written from this run",
  () => {
    const body = rows.map((row) => [row.what, ...borders.map((border) => cellOf(row, border))]);
    const lines = [heading, heading.map(() => "---"), ...body].map((cells) => `| ${cells.join(" | ")} |`);
    process.stdout.write(`${lines.join("\n")}\n`);
    const text = readFileSync(page, "utf8");
    const written = text.replace(tableOf(text).join("\n"), () => lines.join("\n"));
    writeFileSync(page, written);
    expect(tableOf(written)).toEqual(lines);
  },
);

/** What a tool can do behind a border, in a host that a user starts. */
async function tryAll(user: User, border: Border, id: string): Promise<Facts> {
  const own = join(folder, `${users.indexOf(user)}-${border}`);
  const [box, outside, home] = ["box", "outside", "home"].map((name) => join(own, name)) as [
    string,
    string,
    string,
  ];
  for (const path of [own, box, outside, home]) mkdirSync(path);
  for (const path of [outside, home]) writeFileSync(join(path, "secret.txt"), "secret");
  symlinkSync(join(outside, "secret.txt"), join(box, "link"));
  symlinkSync(join(outside, "linked.txt"), join(box, "link-to-write"));
  if (isRoot && user !== "root") giveTo(unprivileged, folder, own);
  const { port: tcp } = server.address() as AddressInfo;
  const place = { box, outside, home, tcp, udp: 0, unix: "", id, inspector: await freePort() };
  const noticeMs = border === "inline" ? 0 : 300_000;
  const goal = { ...place, noticeMs, meanwhile: join(box, "meanwhile") };
  const run = (listed: string) => runHost(user, border, goal, listed);

  const { code, lines } = await run("");
  const facts = JSON.parse(lines[0] ?? "null") as Facts;
  expect(facts).not.toBeNull();
  const isEnded = lines[1] === undefined && code === 7;
  const listed = border === "srt" ? (JSON.parse((await run("localhost")).lines[0]!) as Facts) : {};
  const marked = `600.${id}`;
  if (facts["leave a process behind"] !== null && border !== "inline")
    await vi.waitFor(() => expect(processesWith(marked)).toEqual([]), { timeout: 60_000 });
  return {
    ...facts,
    ...listed,
    "end its process": isEnded ? "yes" : null,
    "a process is left": processesWith(marked).length > 0 ? "yes" : null,
  };
}

/** Runs the program as a user. It may end in any way. */
function runHost(
  user: User,
  border: Border,
  goal: { readonly box: string; readonly home: string; readonly inspector: number },
  listed: string,
) {
  const flags = ["--conditions=@toolmount/source", `--inspect-port=${goal.inspector}`];
  const as = isRoot && user !== "root" ? { uid: unprivileged, gid: unprivileged } : {};
  const env = { PATH: process.env["PATH"], HOME: goal.home, TOOLMOUNT_CANARY: "of the host" };
  const words = [...flags, program, border, JSON.stringify(goal), listed];
  return new Promise<{ code: number; lines: readonly string[] }>((resolve) => {
    execFile(process.execPath, words, { ...as, env }, (error, stdout, stderr) => {
      if (stdout === "") process.stderr.write(stderr);
      resolve({ code: Number(error?.code ?? 0), lines: stdout.split("\n").filter(Boolean) });
    });
  });
}

function giveTo(uid: number, above: string, own: string): void {
  const inside = readdirSync(own, { recursive: true }).map((each) => join(own, String(each)));
  for (const path of [above, own, ...inside.filter((each) => !each.includes("link"))])
    chownSync(path, uid, uid);
}

async function freePort(): Promise<number> {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  return port;
}

/** Process ids of the processes with a word in their command line. */
function processesWith(word: string): readonly number[] {
  return processIds().filter((pid) => fileOf(pid, "cmdline").includes(word));
}

/** The lines of the first table. */
function tableOf(text: string): readonly string[] {
  const lines = text.slice(text.indexOf("| a tool can")).split("\n");
  return lines.slice(
    0,
    lines.findIndex((line) => !line.startsWith("|")),
  );
}

function cellsOf(text: string, what: string): readonly string[] {
  const row = tableOf(text).find((line) => line.split("|")[1]?.trim() === what);
  return (row ?? "")
    .split("|")
    .slice(2, -1)
    .map((cell) => cell.trim());
}

/** Between the words for older and for newer versions of Node. */
const since25 = " before Node 25, then ";

/** What a cell says of hosts that a user starts, on this Node. */
function wordOf(cell = "", user: User): string {
  const word = cell.replaceAll("**", "").replace(/ (?:[¹²³]|\(switched off\))$/, "");
  if (word === "as root") return user === "root" ? "yes" : "no";
  const [before = "", after] = word.split(since25);
  return nodeCoversNetwork ? (after ?? before) : before;
}

/** A cell of the page, from what was found for both users. */
function cellOf({ what, word, notes }: Row, border: Border): string {
  const [root, other] = users.map((user) => word((name) => found.get(`${user} ${border}`)![name] ?? null));
  const said = root === other ? root! : root === "yes" && other === "no" ? "as root" : `${root} / ${other}`;
  const bold = border === "permission" && said === "yes" && what !== "use all of the processor";
  const since = bold && what === "open the network" ? `${since25}no, unless \`network: any\`` : "";
  return `${bold ? `**${said}**` : said}${since}${notes?.[border] ?? ""}`;
}
