import { expect, test } from "vitest";
import { bubblewrapArguments, sandboxMounts } from "../src/system/index.ts";

/** The pairs of a path and its place inside that an option brings in. */
function boundBy(option: string, words: readonly string[]): readonly string[] {
  return words.flatMap((word, at) => (word === option ? [`${words[at + 1]} ${words[at + 2]}`] : []));
}

const mounts = sandboxMounts({
  cwd: "/work",
  read: ["/docs"],
  write: ["/work"],
  denied: ["/work/.git", "relative"],
  network: false,
});

test("S4: a sandbox can read the system's programs and what they need, and no other file that is not granted", () => {
  const programs = "/usr /bin /sbin /lib /lib32 /lib64 /libx32 /nix/store /run/current-system";
  const settings =
    "alternatives ca-certificates group hosts ld.so.cache ld.so.conf ld.so.conf.d localtime nsswitch.conf passwd pki resolv.conf ssl terminfo timezone";
  const system = [...programs.split(" "), ...settings.split(" ").map((name) => `/etc/${name}`)];

  expect(boundBy("--ro-bind-try", mounts)).toEqual(
    [...system, "/work/.git"].map((path) => `${path} ${path}`),
  );
  expect(boundBy("--ro-bind", mounts)).toEqual(["/docs /docs"]);
  expect(boundBy("--bind", mounts)).toEqual(["/work /work"]);
});

test("S4: a denied path comes after the folder that it is in, so that it stays read-only", () => {
  expect(mounts.lastIndexOf("/work/.git")).toBeGreaterThan(mounts.lastIndexOf("--bind"));
});

test.each([
  { network: false, shares: [] },
  { network: true, shares: ["--share-net"] },
])("S4: with network $network a sandbox shares $shares with the machine", ({ network, shares }) => {
  const words = sandboxMounts({ cwd: "/work", read: [], write: [], denied: [], network });

  expect(words[0]).toBe("--unshare-all");
  expect(words.filter((word) => word.startsWith("--share"))).toEqual(shares);
});

test("bubblewrap gets the folder and the whole environment, and ends with its parent", () => {
  expect(bubblewrapArguments({ cwd: "/work", env: { A: "1", B: "2" } }, ["--proc", "/proc"])).toEqual(
    "--die-with-parent --new-session --clearenv --proc /proc --chdir /work --setenv A 1 --setenv B 2 --".split(
      " ",
    ),
  );
});

test("bubblewrap reports on a descriptor where one is given", () => {
  const words = bubblewrapArguments({ cwd: "/work", env: {}, statusDescriptor: 3 }, []);

  expect(words.slice(0, 5)).toEqual([
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    "--json-status-fd",
    "3",
  ]);
});
