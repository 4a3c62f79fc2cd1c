/** Options by which a program runs another one, or writes its own file. */
export interface OptionRule {
  /** Letters of short options, alone or in a bundle. */
  readonly short?: string;
  /** Long options; their abbreviations count too. */
  readonly long?: readonly string[];
  /** Words with one dash, as in `find` and `java`. */
  readonly words?: readonly string[];
}

/** By command, or by command and subcommand. */
export const optionTable: ReadonlyMap<string, OptionRule> = new Map(
  Object.entries({
    find: { words: ["-delete", "-fprint", "-fprint0", "-fprintf", "-fls"] },
    fd: { short: "xX", long: ["--exec", "--exec-batch"] },
    fdfind: { short: "xX", long: ["--exec", "--exec-batch"] },
    rg: { short: "z", long: ["--pre", "--hostname-bin", "--search-zip"] },
    ag: { long: ["--pager"] },
    ack: { long: ["--pager", "--output", "--ackrc"] },
    sort: { short: "oT", long: ["--output", "--compress-program", "--temporary-directory"] },
    split: { long: ["--filter"] },
    tar: {
      short: "IFPg",
      long: [
        "--checkpoint-action",
        "--index-file",
        "--listed-incremental",
        "--volno-file",
        "--to-command",
        "--use-compress-program",
        "--info-script",
        "--new-volume-script",
        "--rsh-command",
        "--rmt-command",
        "--absolute-names",
      ],
    },
    zip: {
      short: "TbO",
      long: [
        "--unzip-command",
        "--test",
        "--temp-path",
        "--output-file",
        "--out",
        "--logfile-path",
        "--split-size",
      ],
    },
    rsync: { short: "e", long: ["--rsh", "--rsync-path", "--log-file", "--write-batch", "--daemon"] },
    curl: {
      short: "oOKcDT",
      long: [
        "--output",
        "--output-dir",
        "--remote-name",
        "--remote-name-all",
        "--config",
        "--cookie-jar",
        "--dump-header",
        "--trace",
        "--trace-ascii",
        "--stderr",
        "--libcurl",
        "--etag-save",
        "--hsts",
        "--alt-svc",
        "--write-out",
        "--engine",
      ],
    },
    wget: {
      short: "OoaPexi",
      long: [
        "--output-document",
        "--output-file",
        "--append-output",
        "--directory-prefix",
        "--execute",
        "--use-askpass",
        "--config",
        "--post-file",
        "--save-cookies",
        "--input-file",
      ],
    },
    scp: { short: "oSFD" },
    sftp: { short: "oSFDb" },
    man: { short: "PHC", long: ["--pager", "--html", "--browser", "--config-file", "--preprocessor"] },
    make: { short: "fCIE", long: ["--eval", "--file", "--makefile", "--directory"] },
    gmake: { short: "fCIE", long: ["--eval", "--file", "--makefile", "--directory"] },
    npm: {
      short: "C",
      long: [
        "--script-shell",
        "--shell",
        "--node-options",
        "--prefix",
        "--userconfig",
        "--globalconfig",
        "--editor",
        "--viewer",
        "--git",
        "--browser",
        "--init-module",
        "--node-gyp",
      ],
    },
    pnpm: { short: "C", long: ["--script-shell", "--dir", "--prefix", "--shell-mode"] },
    yarn: { long: ["--cwd", "--script-shell", "--use-yarnrc"] },
    cargo: { short: "C", long: ["--config", "--manifest-path"] },
    go: { words: ["-exec", "-toolexec", "-vettool", "-overlay", "--exec", "--toolexec", "--vettool"] },
    gcc: { short: "B", words: ["-wrapper", "-fplugin"] },
    "g++": { short: "B", words: ["-wrapper", "-fplugin"] },
    cc: { short: "B", words: ["-wrapper", "-fplugin"] },
    clang: { short: "B", words: ["-load", "-fplugin"] },
    java: { words: ["-agentlib", "-agentpath", "-javaagent", "-XX"] },
    pip: { long: ["--python", "--config-settings", "--log"] },
    pip3: { long: ["--python", "--config-settings", "--log"] },
    jq: { short: "L" },
    apt: { short: "oc", long: ["--option", "--config-file"] },
    "apt-get": { short: "oc", long: ["--option", "--config-file"] },
    "apt-cache": { short: "oc", long: ["--option", "--config-file"] },
    dpkg: { long: ["--pre-invoke", "--post-invoke", "--status-logger", "--root", "--instdir", "--admindir"] },
    yq: { short: "i", long: ["--inplace"] },
    psql: { short: "cfoL", long: ["--command", "--file", "--output", "--log-file"] },
    mysql: { short: "e", long: ["--execute", "--pager", "--tee"] },
    tcpdump: { short: "zw" },
    nmap: { short: "o", long: ["--script"] },
    date: { short: "s", long: ["--set"] },
    hostname: { short: "F", long: ["--file"] },
    tree: { short: "oR" },
    less: { short: "kKoO", long: ["--lesskey-file", "--log-file", "--lesskey-src"] },
    git: {
      short: "cCp",
      long: ["--config-env", "--exec-path", "--git-dir", "--work-tree", "--paginate", "--super-prefix"],
    },
    "git diff": { short: "O", long: ["--ext-diff", "--textconv", "--output", "--no-index"] },
    "git log": { short: "O", long: ["--ext-diff", "--textconv", "--output"] },
    "git show": { short: "O", long: ["--ext-diff", "--textconv", "--output"] },
    "git blame": { long: ["--textconv", "--contents"] },
    "git grep": { short: "O", long: ["--open-files-in-pager", "--ext-grep", "--textconv"] },
    "git clone": { short: "cu", long: ["--config", "--upload-pack", "--template", "--separate-git-dir"] },
    "git init": { long: ["--template", "--separate-git-dir"] },
    "git fetch": { long: ["--upload-pack"] },
    "git pull": { long: ["--upload-pack"] },
    "git push": { long: ["--receive-pack", "--exec"] },
    "git ls-remote": { long: ["--upload-pack", "--exec"] },
    "git archive": { short: "o", long: ["--output", "--exec", "--remote"] },
    "git rebase": { short: "x", long: ["--exec"] },
    "git commit": { short: "t", long: ["--template"] },
    "git format-patch": { short: "o", long: ["--output-directory", "--output"] },
    "git send-email": { long: ["--smtp-server", "--sendmail-cmd", "--to-cmd", "--cc-cmd"] },
    "git am": { long: ["--directory"] },
    "git apply": { long: ["--unsafe-paths", "--directory"] },
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
