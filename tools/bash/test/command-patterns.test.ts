import { expect, test } from "vitest";
import { commandName, covers, forbids, parsePattern } from "../src/script/command-patterns.ts";
import type { ShellWord } from "../src/script/words.ts";

/** The words of a command; `$x` is one that the shell fills in, after what stands before it. */
function wordsOf(command: string): ShellWord[] {
  return command.split(" ").map((word) => {
    const at = word.indexOf("$");
    const [value, prefix] = at < 0 ? [word, word] : [null, word.slice(0, at)];
    return { text: word, value, prefix, pattern: false, tilde: false };
  });
}

test.each([
  ["git status", { source: "git status", words: ["git", "status"], open: false }],
  ["  git   push\t*  ", { source: "  git   push\t*  ", words: ["git", "push"], open: true }],
  ["git *x", { source: "git *x", words: ["git", "*x"], open: false }],
  ["*", { source: "*", words: ["*"], open: false }],
  ["* *", { source: "* *", words: ["*"], open: true }],
  ["ls", { source: "ls", words: ["ls"], open: false }],
])("the pattern %j is read as %j", (source, pattern) => {
  expect(parsePattern(source)).toEqual(pattern);
});

/** Patterns of allowed commands, each with commands that it covers and commands that it does not. */
const allowed: readonly [pattern: string, covered: readonly string[], others: readonly string[]][] = [
  [
    "git status",
    ["git status"],
    [
      "git",
      "git status -s",
      "git statu",
      "Git status",
      "git Status",
      "/usr/bin/git status",
      "git $x",
      "git status$x",
    ],
  ],
  [
    "git status *",
    ["git status", "git status -s", "git status a b", "git status $x"],
    ["git", "git stash", "git $x"],
  ],
  ["git * -v", ["git remote -v", "git  -v"], ["git remote", "git remote -v x"]],
  ["*", ["ls", "/bin/ls", "ls -l a", "$x"], []],
  ["l*", ["ls", "l"], ["/bin/ls", "sl", "ls -l"]],
  ["*/ls", ["/bin/ls", "x/ls"], ["ls"]],
  ["/bin/*", ["/bin/ls", "/bin/a/b"], ["ls"]],
  ["npm run t*t", ["npm run test", "npm run tt"], ["npm run t", "npm run tests"]],
  [
    "npm run a*b*c",
    ["npm run abc", "npm run axbxc", "npm run abbcc"],
    ["npm run acb", "npm run ab", "npm run abcx", "npm run xabc"],
  ],
  ["npm run *:*", ["npm run a:b", "npm run :"], ["npm run ab"]],
  ["npm run aa*aa", ["npm run aaaa"], ["npm run aaa"]],
];

test.each(allowed)("of allowed commands, %j covers %j, and not %j", (pattern, covered, others) => {
  const isCovered = (command: string) => covers(parsePattern(pattern), wordsOf(command));

  expect([...covered, ...others].filter(isCovered)).toEqual(covered);
});

test.each([
  ["sudo", "sudo ls", "yes"],
  ["sudo", "/usr/bin/SUDO ls", "yes"],
  ["SUDO", "sudo", "yes"],
  ["sudo", "sudoedit a", "no"],
  ["sudo", "$x ls", "no"],
  ["su*", "sudo ls", "yes"],
  ["rm -rf", "rm -rf a", "yes"],
  ["rm -rf", "rm -r -f a", "yes"],
  ["rm -rf", "rm a -fvr", "yes"],
  ["rm -rf", "rm -r a", "no"],
  ["rm -rf", "rm rf", "no"],
  ["rm -rf", "rm --rf", "no"],
  ["rm -rf", "rm -r $x", "maybe"],
  ["rm -rf", "rm -r -$x", "maybe"],
  ["rm -rf", "rm -r a$x", "no"],
  ["rm -rf", "rm -rf $x", "yes"],
  ["rm -rf *", "rm -rf", "yes"],
  ["git push --force", "git push --force", "yes"],
  ["git push --force", "git push --force=x", "yes"],
  ["git push --force", "git push --force-with-lease", "no"],
  ["git push --force", "git push -force", "no"],
  ["git push --force", "git push", "no"],
  ["find -delete", "find . -delete", "yes"],
  ["find -delete", "find . -name x", "no"],
  ["git push", "git push origin", "yes"],
  ["git push", "git -C a push", "yes"],
  ["git push", "git -C a b push", "no"],
  ["git push", "git --git-dir=a push", "yes"],
  ["git push", "git --git-dir=a b push", "no"],
  ["git push", "git --no-pager PUSH", "yes"],
  ["git push", "git log push", "no"],
  ["git push", "git -- push", "yes"],
  ["git push", "git -- a push", "no"],
  ["git push", "git $x", "maybe"],
  ["git push", "git", "no"],
  ["git push", "git push $x", "yes"],
  ["git push origin", "git push -f a origin", "yes"],
  ["git push origin", "git push a origin", "no"],
  ["git push ori*", "git push ORIGIN main", "yes"],
  ["git push *", "git push", "yes"],
  ["docker run * --privileged", "docker run --privileged a", "yes"],
])("of the forbidden pattern %j, the command %j is: %s", (pattern, command, verdict) => {
  expect(forbids(parsePattern(pattern), wordsOf(command))).toBe(verdict);
});

test.each([
  ["ls", "ls"],
  ["/usr/bin/ls", "ls"],
  ["a/", ""],
  ["$x", ""],
])("the name of the command %j is %j", (word, name) => {
  expect(commandName(wordsOf(word)[0]!)).toBe(name);
});
