import { execFile } from "node:child_process";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import {
  chmodSync,
  lchownSync,
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
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { attempts, type Target } from "./modules/escapes.ts";
import { fileOf, processIds } from "./processes.ts";

/** Node keeps the network from a process only where it has `--allow-net`. */
const nodeCoversNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");

const borders = ["none", "permission", "bubblewrap", "srt"] as const;

/** What reaches its target, by attempt and border, as the page says. */
const table = readTable(readFileSync(new URL("../../../docs/reference/borders.md", import.meta.url), "utf8"));

/** A user without any rights. */
const unprivileged = 65_534;

const isRoot = process.getuid?.() === 0;

/** Only root can try both; for another user the first half is reported as skipped. */
const users = ["root", "a user"] as const;

const program = fileURLToPath(new URL("escape-attempts.ts", import.meta.url));

let folder: string;
let target: Omit<Target, "id" | "host" | "inspector">;
const services: (Server | Socket)[] = [];

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-escapes-")));
  const tcp = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  const unix = join(folder, "service.sock");
  const local = createServer((socket) => socket.end()).listen(unix);
  const udp = createSocket("udp4").bind(0, "127.0.0.1");
  udp.on("message", (_, from) => udp.send("not an answer of DNS", from.port, from.address));
  services.push(tcp, local, udp);
  await Promise.all(services.map((service) => once(service, "listening")));
  chmodSync(folder, 0o755);
  chmodSync(unix, 0o777);
  target = { box: "", outside: "", tcp: portOf(tcp), udp: portOf(udp), unix };
});

afterAll(() => {
  for (const service of services) service.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the table of docs/reference/borders.md has a row for each attempt, and none besides", () => {
  expect([...table.keys()].toSorted()).toEqual(Object.keys(attempts).toSorted());
});

for (const user of users)
  describe.runIf(isRoot || user !== "root").each(borders)(
    `a host of ${user}, behind the border %s`,
    (border) => {
      /** Digits, since one attempt uses them as a number. */
      const id = `${process.pid}${users.indexOf(user)}${borders.indexOf(border)}`;
      let ends: Readonly<Record<string, unknown>>;
      beforeAll(async () => {
        const folders = makeFolders(`${user}-${border}`, user);
        const granted = createServer((socket) => socket.end()).listen(join(folders.box, "granted.sock"));
        services.push(granted);
        await once(granted, "listening");
        chmodSync(join(folders.box, "granted.sock"), 0o777);
        ends = await attemptAll(user, border, { ...target, ...folders, id });
      });
      afterAll(() => {
        for (const pid of processesWith(`600.${id}`)) process.kill(pid, "SIGKILL");
      });

      test.each(Object.keys(attempts))("an attempt to %s ends as the page says", (what) => {
        const end = ends[what];
        const reached = typeof end === "object" && "got" in end!;
        expect({ what, reached, end }).toMatchObject({ reached: reaches(table.get(what)?.[border], user) });
      });

      test("a process that a tool left behind is not there after the host", async () => {
        // The kernel, or a guard where there is no border, ends them after the host.
        await vi.waitFor(() => expect(processesWith(`600.${id}`)).toEqual([]), { timeout: 60_000 });
      });
    },
  );

/** Makes each attempt from a host that a user starts. */
async function attemptAll(
  user: (typeof users)[number],
  border: string,
  goal: Omit<Target, "host" | "inspector">,
): Promise<Readonly<Record<string, unknown>>> {
  const inspector = await freePort();
  const options = ["--conditions=@toolmount/source", `--inspect-port=${inspector}`];
  const words = [...options, program, border, JSON.stringify({ ...goal, inspector })];
  const as = isRoot && user !== "root" ? { uid: unprivileged, gid: unprivileged } : {};
  const env = { PATH: process.env["PATH"], HOME: goal.box };
  const { stdout } = await promisify(execFile)(process.execPath, words, { ...as, env });
  return JSON.parse(stdout) as Readonly<Record<string, unknown>>;
}

/** A granted folder and one that is not, which belong to the user. */
function makeFolders(name: string, user: string): Pick<Target, "box" | "outside"> {
  const place = join(folder, name);
  const [box, outside] = [join(place, "box"), join(place, "outside")];
  for (const path of [place, box, outside, `${box}-evil`]) mkdirSync(path);
  writeFileSync(join(box, "inside.txt"), "inside");
  for (const path of [outside, `${box}-evil`]) writeFileSync(join(path, "secret.txt"), "secret");
  writeFileSync(join(outside, "module.mjs"), "export {};");
  symlinkSync(join(outside, "secret.txt"), join(box, "link"));
  symlinkSync(join(outside, "linked.txt"), join(box, "link-to-write"));
  if (isRoot && user !== "root")
    for (const path of [
      place,
      ...readdirSync(place, { recursive: true }).map((each) => join(place, String(each))),
    ])
      lchownSync(path, unprivileged, unprivileged);
  return { box, outside };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const port = portOf(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function portOf(service: Server | Socket): number {
  return (service.address() as AddressInfo).port;
}

/** Rows of the page's table of attempts. */
function readTable(page: string): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const lines = page.slice(page.indexOf("| an attempt to")).split("\n");
  const rows = lines.slice(
    2,
    lines.findIndex((line) => !line.startsWith("|")),
  );
  return new Map(
    rows.map((row) => {
      const [what = "", ...cells] = row
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim().replaceAll("*", "").replaceAll("`", ""));
      return [what, Object.fromEntries(borders.map((border, at) => [border, cells[at] ?? ""]))];
    }),
  );
}

/** Whether a cell says that the attempt of a user reaches its target. */
function reaches(cell = "", user: string): boolean {
  if (cell === "before Node 25") return !nodeCoversNetwork;
  return cell === "as root" ? user === "root" : cell.startsWith("yes");
}

/** Process ids of the processes with a word in their command line. */
function processesWith(word: string): readonly number[] {
  return processIds().filter((pid) => fileOf(pid, "cmdline").includes(word));
}
