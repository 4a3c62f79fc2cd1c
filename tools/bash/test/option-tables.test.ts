import { createShell } from "@toolmount/tool-bash";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";

/** Judges command lines; nothing is run. */
const shell = createShell(
  {
    working_dir: tmpdir(),
    safety_profile: "standard",
    require_approval: false,
  },
  { environment: { HOME: "/root" } },
);
const findingOf = (command: string) => shell.judge(command).finding?.reason ?? "";
const asked = (command: string, option: string) =>
  `"${command}" with ${option} runs a program or writes a file`;
const unknown = (command: string, option: string) => `"${command}" with ${option} is not known here`;
const linesOf = (text: string) =>
  text
    .trim()
    .split("\n")
    .map((line) => line.split(": ") as [string, string]);

/** By command: the options by which it runs a program, writes its own file, or reads another configuration. */
const asking = `
find: -delete -fprint -fprint0 -fprintf -fls
fd: -x -X --exec --exec-batch
fdfind: -x -X --exec --exec-batch
rg: -z --pre --hostname-bin --search-zip
ag: --pager
ack: --pager --output --ackrc
sort: -o -T --output --compress-program --temporary-directory
split: --filter
tar: -I -F -P -g --checkpoint-action --index-file --listed-incremental --volno-file --to-command --use-compress-program --info-script --new-volume-script --rsh-command --rmt-command --absolute-names
zip: -T -b -O --unzip-command --test --temp-path --output-file --out --logfile-path --split-size
rsync: -e --rsh --rsync-path --log-file --write-batch --daemon
curl: -o -O -K -c -D -T --output --output-dir --remote-name --remote-name-all --config --cookie-jar --dump-header --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc --write-out --engine
wget: -O -o -a -P -e -x -i --output-document --output-file --append-output --directory-prefix --execute --use-askpass --config --post-file --save-cookies --input-file
scp: -o -S -F -D
sftp: -o -S -F -D -b
man: -P -H -C --pager --html --browser --config-file --preprocessor
make: -f -C -I -E --eval --file --makefile --directory
gmake: -f -C -I -E --eval --file --makefile --directory
npm: -C --script-shell --shell --node-options --prefix --userconfig --globalconfig --editor --viewer --git --browser --init-module --node-gyp
pnpm: -C --script-shell --dir --prefix --shell-mode
yarn: --cwd --script-shell --use-yarnrc
cargo: -C --config --manifest-path
go: -exec -toolexec -vettool -overlay --exec --toolexec --vettool
gcc: -B -wrapper -fplugin
g++: -B -wrapper -fplugin
cc: -B -wrapper -fplugin
clang: -B -load -fplugin
java: -agentlib -agentpath -javaagent -XX
pip: --python --config-settings --log
pip3: --python --config-settings --log
jq: -L
apt: -o -c --option --config-file
apt-get: -o -c --option --config-file
apt-cache: -o -c --option --config-file
dpkg: --pre-invoke --post-invoke --status-logger --root --instdir --admindir
yq: -i --inplace
psql: -c -f -o -L --command --file --output --log-file
mysql: -e --execute --pager --tee
tcpdump: -z -w
nmap: -o --script
date: -s --set
hostname: -F --file
tree: -o -R
less: -k -K -o -O --lesskey-file --log-file --lesskey-src
git: -c -C -p --config-env --exec-path --git-dir --work-tree --paginate --super-prefix
git diff: -O --ext-diff --textconv --output --no-index
git log: -O --ext-diff --textconv --output
git show: -O --ext-diff --textconv --output
git blame: --textconv --contents
git grep: -O --open-files-in-pager --ext-grep --textconv
git clone: -c -u --config --upload-pack --template --separate-git-dir
git init: --template --separate-git-dir
git fetch: --upload-pack
git pull: --upload-pack
git push: --receive-pack --exec
git ls-remote: --upload-pack --exec
git archive: -o --output --exec --remote
git rebase: -x --exec
git commit: -t --template
git format-patch: -o --output-directory --output
git am: --directory
git apply: --unsafe-paths --directory
`;

test.each(linesOf(asking))("%s runs or writes something by %s", (command, options) => {
  for (const option of options.split(" ")) {
    expect(findingOf(`${command} ${option} x`)).toBe(asked(command, option));
    if (!/^-?-\w{2}/.test(option)) continue; // the letters of a bundle count one by one
    expect(findingOf(`${command} ${option}~ x`)).not.toBe(asked(command, `${option}~`));
  }
  expect(findingOf(`${command} -~ x`)).not.toBe(asked(command, "-~"));
});

/** What these commands do by their options is listed whole, so that any other option is asked about. */
const listed =
  "arch b2sum base32 base64 basename basenc cat chgrp chmod chown cksum cmp comm cp csplit cut date dd df diff dir dircolors dirname du echo expand expr factor false fmt fold grep groups head hostid id install join link ln logname ls md5sum mkdir mkfifo mknod mktemp mv nl nproc numfmt od paste pathchk pinky pr printenv printf ptx pwd readlink realpath rm rmdir seq sha1sum sha224sum sha256sum sha384sum sha512sum shred shuf sleep sort split stat stty sum sync tac tail tee touch tr true truncate tsort tty uname unexpand uniq unlink uptime users vdir wc who whoami yes".split(
    " ",
  );

test.each(listed)("%s has options that are known, and any other is asked about", (command) => {
  expect(findingOf(`${command} --version`)).toBe("");
  expect(findingOf(`${command} --versions`)).toBe(unknown(command, "--versions"));
  expect(findingOf(`${command} -~`)).toBe(unknown(command, "-~"));
});

test.each(
  `b2sum --zero, base32 --wrap, base64 --wrap, basename --zero, basenc --z85, cksum --zero, comm --zero-terminated, cut --zero-terminated, diff --width, dir --zero, dirname --zero, fmt --width, fold --width, grep --word-regexp, head --zero-terminated, id --zero, join --zero-terminated, ls --zero, md5sum --zero, numfmt --zero-terminated, od --width, paste --zero-terminated, pr --width, ptx --word-regexp, readlink --zero, realpath --zero, sha1sum --zero, sha224sum --zero, sha256sum --zero, sha384sum --zero, sha512sum --zero, shred --zero, shuf --zero-terminated, sort --zero-terminated, tail --zero-terminated, uniq --zero-terminated, vdir --zero, wc --words, who --writable`.split(
    ", ",
  ),
)("%s is known", (command) => {
  expect(findingOf(command)).toBe("");
  expect(findingOf(`${command}~`)).toMatch(/is not known here$/);
});

test("which knows no options", () => {
  expect(findingOf("which --version")).toBe(unknown("which", "--version"));
  expect(findingOf("which -~")).toBe(unknown("which", "-~"));
  expect(findingOf("which ls")).toBe("");
});

/** By subcommand: all letters that are known. A letter of git's options has a value only where it is at the end of its word. */
const git = `
add: ANfnpuv
am: 3Cckmpqrsu
apply: 3CNRpqvz
archive: lv
blame: CLMSbceflnpstw
branch: CDMacdfilmqrtuv
bundle: none
cat-file: epstz
check-attr: az
check-ignore: nqvz
check-ref-format: none
checkout: 23Bbdflmpqt
cherry: v
cherry-pick: mnsx
clean: Xdefnqx
clone: 46bjlnoqsv
commit: Cacimnopqsuvz
commit-tree: Fmp
count-objects: Hv
describe: none
diff: BCDGIMRSUWXabcmprstuwz0123456789
diff-files: BCDGIMRSUWXabcmprstuwz0123456789
diff-index: BCDGIMRSUWXabcmprstuwz0123456789
diff-tree: BCDGIMRSUWXabcmprstuwz0123456789
fetch: 46Pafjkmnpqtuv
for-each-ref: ps
format-patch: BCDGIMRSUWXabcmprstuwz0123456789Nknqv
fsck: v
gc: q
grep: ABCEFGHILPWacefhilmnopqrvwz
hash-object: tw
help: agimvw
init: bq
log: BCDGIMRSUWXabcmprstuwz0123456789EFLPginq
ls-files: Xcdfikmostuvxz
ls-remote: hqt
ls-tree: dlrtz
merge: mnqv
merge-base: a
mv: fknv
name-rev: none
notes: m
pack-refs: none
prune: nv
pull: 46afjknpqrtv
push: 46dfnoquv
range-diff: BCDGIMRSUWXabcmprstuwz0123456789Ol
read-tree: imnquv
rebase: Cfmnqrv
reflog: BCDGIMRSUWXabcmprstuwz0123456789EFLPginq
remote: vftmn
repack: AFabdfgiklmnq
reset: Npq
restore: 23SWmpqs
rev-list: BCDGIMRSUWXabcmprstuwz0123456789EFLPginq
rev-parse: none
revert: mns
rm: fnqr
shortlog: EFLPceginqsw
show: BCDGIMRSUWXabcmprstuwz0123456789EFLPginq
show-branch: agr
show-ref: qs
sparse-checkout: none
stash: BCDGIMRSUWXabcmprstuwz0123456789knq
status: Mbsuvz
switch: Ccdfmqt
symbolic-ref: dmq
tag: adfilmnsv
unpack-objects: none
update-index: gqz
update-ref: dmz
var: none
verify-commit: v
verify-pack: sv
verify-tag: v
version: none
whatchanged: BCDGIMRSUWXabcmprstuwz0123456789EFLPginq
worktree: bBfdnv
write-tree: none
`;

test.each(linesOf(git))("git %s knows the letters %s, and asks about any other", (subcommand, letters) => {
  const command = `git ${subcommand}`;
  for (const letter of letters === "none" ? [] : letters) {
    const reason = findingOf(`${command} -${letter}`);
    expect(["", asked(command, `-${letter}`)], `${command} -${letter}`).toContain(reason);
  }
  expect(findingOf(`${command} -~`)).toBe(unknown(command, "-~"));
  expect(findingOf(`${command} --no-quiet`)).toBe("");
  expect(findingOf(`${command} --frob`)).toBe(unknown(command, "--frob"));
});

test.each(linesOf(asking))("%s has no letter ~ among its options that ask", (command) => {
  expect(findingOf(`${command} -~`)).not.toBe(asked(command, "-~"));
});

test.each(
  "env exec nice ionice timeout setsid stdbuf xargs coreutils caffeinate unbuffer chronic fakeroot firejail".split(
    " ",
  ),
)("what %s runs is not clear from an option that it does not have", (wrapper) => {
  for (const option of ["-~", "--frob", "--frob=1"])
    expect(findingOf(`${wrapper} ${option} 5 ls`)).toBe(
      `what "${wrapper}" runs is not clear from its options`,
    );
});

test.each(
  "node nodejs bun tsx ts-node python pypy perl ruby irb php lua luajit tclsh wish guile R Rscript julia ghci jshell elixir erl groovy scala psysh".split(
    " ",
  ),
)("%s runs the file behind options that hold no program", (interpreter) => {
  expect(findingOf(`${interpreter} -~ --frob a`)).toBe("");
  expect(findingOf(`${interpreter} -~ --frob`)).toBe(`"${interpreter}" reads its program from its input`);
});
