/** Options by which a command runs another program, or writes a further file. */
export interface OptionRule {
  /** Letters of short options, alone or combined in one word. */
  readonly short?: string;
  /** Long options. Their abbreviations count, too. */
  readonly long?: readonly string[];
  /** Words with one dash, as `find` and `java` have them. */
  readonly words?: readonly string[];
}

/** Splits a list that is written as one text. */
export function list(words: string): readonly string[] {
  return words.split(" ");
}

/** The options by command, or by command and subcommand. */
export const optionTable: ReadonlyMap<string, OptionRule> = new Map(
  Object.entries({
    find: { words: list("-delete -fprint -fprint0 -fprintf -fls") },
    fd: { short: "xX", long: list("--exec --exec-batch") },
    fdfind: { short: "xX", long: list("--exec --exec-batch") },
    rg: { short: "z", long: list("--pre --hostname-bin --search-zip") },
    ag: { long: list("--pager") },
    ack: { long: list("--pager --output --ackrc") },
    sort: { short: "oT", long: list("--output --compress-program --temporary-directory") },
    split: { long: list("--filter") },
    tar: {
      short: "IFPg",
      long: list(
        "--checkpoint-action --index-file --listed-incremental --volno-file --to-command --use-compress-program --info-script --new-volume-script --rsh-command --rmt-command --absolute-names",
      ),
    },
    zip: {
      short: "TbO",
      long: list("--unzip-command --test --temp-path --output-file --out --logfile-path --split-size"),
    },
    rsync: { short: "e", long: list("--rsh --rsync-path --log-file --write-batch --daemon") },
    curl: {
      short: "oOKcDT",
      long: list(
        "--output --output-dir --remote-name --remote-name-all --config --cookie-jar --dump-header --trace --trace-ascii --stderr --libcurl --etag-save --hsts --alt-svc --write-out --engine",
      ),
    },
    wget: {
      short: "OoaPexi",
      long: list(
        "--output-document --output-file --append-output --directory-prefix --execute --use-askpass --config --post-file --save-cookies --input-file",
      ),
    },
    scp: { short: "oSFD" },
    sftp: { short: "oSFDb" },
    man: { short: "PHC", long: list("--pager --html --browser --config-file --preprocessor") },
    make: { short: "fCIE", long: list("--eval --file --makefile --directory") },
    gmake: { short: "fCIE", long: list("--eval --file --makefile --directory") },
    npm: {
      short: "C",
      long: list(
        "--script-shell --shell --node-options --prefix --userconfig --globalconfig --editor --viewer --git --browser --init-module --node-gyp",
      ),
    },
    pnpm: { short: "C", long: list("--script-shell --dir --prefix --shell-mode") },
    yarn: { long: list("--cwd --script-shell --use-yarnrc") },
    cargo: { short: "C", long: list("--config --manifest-path") },
    go: { words: list("-exec -toolexec -vettool -overlay --exec --toolexec --vettool") },
    gcc: { short: "B", words: list("-wrapper -fplugin") },
    "g++": { short: "B", words: list("-wrapper -fplugin") },
    cc: { short: "B", words: list("-wrapper -fplugin") },
    clang: { short: "B", words: list("-load -fplugin") },
    java: { words: list("-agentlib -agentpath -javaagent -XX") },
    pip: { long: list("--python --config-settings --log") },
    pip3: { long: list("--python --config-settings --log") },
    jq: { short: "L" },
    apt: { short: "oc", long: list("--option --config-file") },
    "apt-get": { short: "oc", long: list("--option --config-file") },
    "apt-cache": { short: "oc", long: list("--option --config-file") },
    dpkg: { long: list("--pre-invoke --post-invoke --status-logger --root --instdir --admindir") },
    yq: { short: "i", long: list("--inplace") },
    psql: { short: "cfoL", long: list("--command --file --output --log-file") },
    mysql: { short: "e", long: list("--execute --pager --tee") },
    tcpdump: { short: "zw" },
    nmap: { short: "o", long: list("--script") },
    date: { short: "s", long: list("--set") },
    hostname: { short: "F", long: list("--file") },
    tree: { short: "oR" },
    less: { short: "kKoO", long: list("--lesskey-file --log-file --lesskey-src") },
    git: {
      short: "cCp",
      long: list("--config-env --exec-path --git-dir --work-tree --paginate --super-prefix"),
    },
    "git diff": { short: "O", long: list("--ext-diff --textconv --output --no-index") },
    "git log": { short: "O", long: list("--ext-diff --textconv --output") },
    "git show": { short: "O", long: list("--ext-diff --textconv --output") },
    "git blame": { long: list("--textconv --contents") },
    "git grep": { short: "O", long: list("--open-files-in-pager --ext-grep --textconv") },
    "git clone": { short: "cu", long: list("--config --upload-pack --template --separate-git-dir") },
    "git init": { long: list("--template --separate-git-dir") },
    "git fetch": { long: list("--upload-pack") },
    "git pull": { long: list("--upload-pack") },
    "git push": { long: list("--receive-pack --exec") },
    "git ls-remote": { long: list("--upload-pack --exec") },
    "git archive": { short: "o", long: list("--output --exec --remote") },
    "git rebase": { short: "x", long: list("--exec") },
    "git commit": { short: "t", long: list("--template") },
    "git format-patch": { short: "o", long: list("--output-directory --output") },
    "git am": { long: list("--directory") },
    "git apply": { long: list("--unsafe-paths --directory") },
  }),
);

/** Git's own subcommands that run no program named in their arguments. Any other word may be an alias. */
export const gitSubcommands: ReadonlySet<string> = new Set(
  `add am apply archive blame branch bundle cat-file check-attr check-ignore check-ref-format cherry cherry-pick clean
  clone commit commit-tree count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref
  format-patch fsck gc grep hash-object help init log ls-files ls-remote ls-tree merge merge-base mv
  name-rev notes pack-refs prune pull push range-diff read-tree rebase reflog remote repack reset restore rev-list
  rev-parse revert rm shortlog show show-branch show-ref sparse-checkout stash status switch checkout symbolic-ref
  tag unpack-objects update-index update-ref var verify-commit verify-pack verify-tag version whatchanged worktree
  write-tree`.split(/\s+/),
);

/** Subcommands that run a program named in their arguments, by command. */
export const runningSubcommands: ReadonlyMap<string, RegExp> = new Map([
  ["npm", /^(?:exec|x|init|create|innit|explore|edit)$/],
  ["pnpm", /^(?:exec|dlx|create)$/],
  ["yarn", /^(?:exec|dlx|create)$/],
  ["cargo", /^(?:install|script)$/],
  ["docker-compose", /^(?:exec|run)$/],
]);
