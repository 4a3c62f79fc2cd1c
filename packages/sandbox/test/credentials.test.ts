import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { credentialPaths } from "../src/index.ts";

test("files and folders with credentials are those that exist in the home, and those that variables name", () => {
  const home = mkdtempSync(join(tmpdir(), "toolmount-home-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const files = [
    ".ssh/id_ed25519",
    ".aws/credentials",
    ".npmrc",
    ".gitconfig",
    "kube/one",
    "kube/two",
    "notes",
  ];
  for (const file of files) {
    mkdirSync(join(home, dirname(file)), { recursive: true });
    writeFileSync(join(home, file), "");
  }
  const inHome = (paths: readonly string[]) =>
    paths.filter((path) => path.startsWith(home)).map((path) => path.slice(home.length + 1));
  const kube = ["one", "two", "three"].map((name) => join(home, "kube", name)).join(":");
  const env = { HOME: home, KUBECONFIG: kube, GNUPGHOME: "relative", NETRC: undefined };

  expect(inHome(credentialPaths(env))).toEqual([".ssh", ".npmrc", ".aws", "kube/one", "kube/two"]);
  expect(inHome(credentialPaths({ KUBECONFIG: kube }))).toEqual(["kube/one", "kube/two"]);
  expect(inHome(credentialPaths({ HOME: "" }))).toEqual([]);
});
