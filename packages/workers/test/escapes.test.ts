import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createSocket, type Socket } from "node:dgram";
import { once } from "node:events";
import { createServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { attempts, type Target } from "./modules/escapes.ts";
import { fileOf, processIds } from "./processes.ts";
import { world, type World } from "./world.ts";

const limits = { timeoutMs: 600_000, graceMs: 20_000 };

/** Node keeps the network from a process only where it has `--allow-net`. */
const nodeCoversNetwork = process.allowedNodeEnvironmentFlags.has("--allow-net");

const borders = ["none", "permission", "bubblewrap", "srt"] as const;

/** What reaches its target, by attempt and border, as the page says. */
const table = readTable(readFileSync(new URL("../../../docs/isolation.md", import.meta.url), "utf8"));

let folder: string;
let target: Omit<Target, "id">;
const services: (Server | Socket)[] = [];

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "toolmount-escapes-")));
  for (const name of ["box", "outside", "box-evil"]) mkdirSync(join(folder, name));
  const [box, outside] = [join(folder, "box"), join(folder, "outside")];
  writeFileSync(join(box, "inside.txt"), "inside");
  for (const place of ["outside", "box-evil"]) writeFileSync(join(folder, place, "secret.txt"), "secret");
  writeFileSync(join(outside, "module.mjs"), "export {};");
  symlinkSync(join(outside, "secret.txt"), join(box, "link"));
  symlinkSync(join(outside, "linked.txt"), join(box, "link-to-write"));
  const tcp = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
  const unix = join(outside, "service.sock");
  const local = createServer((socket) => socket.end()).listen(unix);
  const udp = createSocket("udp4").bind(0, "127.0.0.1");
  udp.on("message", (_, from) => udp.send("not an answer of DNS", from.port, from.address));
  services.push(tcp, local, udp);
  await Promise.all(services.map((service) => once(service, "listening")));
  const portOf = (service: Server | Socket) => (service.address() as AddressInfo).port;
  target = { box, outside, tcp: portOf(tcp), udp: portOf(udp), unix, host: process.pid };
});

afterAll(() => {
  for (const service of services) service.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the table of docs/isolation.md has a row for each attempt, and none besides", () => {
  expect([...table.keys()].toSorted()).toEqual(Object.keys(attempts).toSorted());
});

describe.each(borders)("behind the border %s", (border) => {
  let far: World;
  const openFar = () =>
    world({ border, read: [target.box], write: [target.box] }, { limits, folder: target.box });
  /** Digits, since one attempt uses them as a number. */
  const id = `${process.pid}${borders.indexOf(border)}`;
  beforeAll(async () => {
    far = await openFar();
  });
  afterAll(async () => {
    await far[Symbol.asyncDispose]();
    for (const pid of processesWith(`600.${id}`)) process.kill(pid, "SIGKILL");
  });

  test.each(Object.keys(attempts))("an attempt to %s ends as the page says", async (what) => {
    // Node 24 can crash over a snapshot of a process that has done some of the others.
    await using own = what === "write a heap snapshot" ? await openFar() : undefined;
    const { result } = await (own ?? far).act("attempt", { what, target: { ...target, id } });
    expect(result.error).toBeUndefined();
    const reached = "got" in (result.data as object);
    expect({ what, reached, data: result.data }).toMatchObject({ reached: table.get(what)?.[border] });
  });

  test("a process that a tool left behind is there only if the page says so", async () => {
    const what = "leave a process behind";
    const own = await openFar();
    await own.act("attempt", { what, target: { ...target, id: `${id}9` } });
    await own[Symbol.asyncDispose]();
    const word = `600.${id}9`;
    const isLeft = table.get(what)?.[border] === true && border === "none";
    if (isLeft) expect(processesWith(word)).toHaveLength(1);
    // The kernel ends what is inside a border after its launcher.
    else await vi.waitFor(() => expect(processesWith(word)).toEqual([]), { timeout: 60_000 });
    for (const pid of processesWith(word)) process.kill(pid, "SIGKILL");
  });
});

/** Rows of the page's table of attempts. */
function readTable(page: string): ReadonlyMap<string, Readonly<Record<string, boolean>>> {
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
      return [what, Object.fromEntries(borders.map((border, at) => [border, reaches(cells[at] ?? "")]))];
    }),
  );
}

function reaches(cell: string): boolean {
  return cell === "before Node 25" ? !nodeCoversNetwork : cell.startsWith("yes");
}

/** Process ids of the processes with a word in their command line. */
function processesWith(word: string): readonly number[] {
  return processIds().filter((pid) => fileOf(pid, "cmdline").includes(word));
}
