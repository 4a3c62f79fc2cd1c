// A host in a process of its own, whose tool tries each row of a table: ability-attempts.ts <border> <place> <hosts or not>.
// It prints what the tool could do, as JSON, and "alive" when that could not end it. It has no `await using`, which Node 22
// does not know.
import { existsSync, writeFileSync } from "node:fs";
import { argv, exit, pid, stdout } from "node:process";
import { isToolmountError, type JsonObject } from "@toolmount/core";
import type { Place } from "./modules/abilities.ts";
import { world } from "./world.ts";

const [, , border = "", given = "{}", listed = ""] = argv;
const place = { ...(JSON.parse(given) as Omit<Place, "host">), host: pid };
const limits = { timeoutMs: 600_000, graceMs: 20_000 };
const granted = { read: [place.box], write: [place.box] };
const done: Record<string, string | null> = {};

/** Opens a world in which the tool tries something. One that cannot be built lets nothing through. */
async function attempt(run: JsonObject, names: Readonly<Record<string, string>>): Promise<void> {
  try {
    const options = { module: "abilities", limits, folder: place.box };
    const far = await world(border === "inline" ? null : { border, ...granted, ...run }, options);
    for (const [name, act] of Object.entries(names)) {
      const { result } = await far.act(act, { ...place });
      done[name] = (result.data as { readonly did?: string } | undefined)?.did ?? null;
    }
    await far[Symbol.asyncDispose]();
  } catch (error) {
    if (!isToolmountError(error) || error.code !== "SANDBOX_UNAVAILABLE") throw error;
    for (const name of Object.keys(names)) done[name] = null;
  }
}

const same = (...names: readonly string[]) => Object.fromEntries(names.map((name) => [name, name]));

if (listed !== "") {
  await attempt({ network: [listed] }, same("reach a host that is listed", "reach another host"));
  stdout.write(JSON.stringify(done), () => exit());
} else {
  const usual = same(
    "have a variable of the host",
    "read the host's environment in /proc",
    "read a file",
    "read a file of the home folder",
    "write a file",
    "read through a link that is there",
    "write through a link that is there",
    "see where a program runs",
    "connect to a service on loopback",
    "send a signal to the host",
    "write a setting of the kernel",
    "make a read-only folder writable",
    "open a database with node:sqlite",
    "open a database in a granted folder",
    "use the processor",
    "leave a process behind",
  );
  await attempt({}, usual);
  await attempt({ network: "any" }, { "connect with the network": "connect to a service on loopback" });
  await attempt({ memoryMb: 256 }, same("have 500 MB"));
  await attempt({}, same("be 520 processes"));
  const timer = setTimeout(() => writeFileSync(place.meanwhile, ""), 50);
  await attempt({}, same("keep the host from its work"));
  clearTimeout(timer);
  if (!existsSync(place.meanwhile)) writeFileSync(place.meanwhile, "");
  await attempt({}, same("open the inspector of the host by a signal"));
  stdout.write(`${JSON.stringify(done)}\n`);
  await attempt({}, same("end its process"));
  stdout.write("alive\n", () => exit());
}
