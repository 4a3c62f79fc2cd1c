/** Long options of git's subcommands. Source: `git <subcommand> --git-completion-helper-all` of git 2.39, reviewed. */
export const gitLongOptions: ReadonlySet<string> = new Set(
  `3way abbrev abbrev-commit abbrev-ref abort absolute-git-dir add add-header after after-context again
  aggressive ahead-behind aliases all all-match all-progress allow-binary-replacement allow-empty allow-
  empty-message allow-overlap allow-unknown-type allow-unrelated-histories also-filter-submodules always
  amend ancestry-path anchored and annotate annotate-stdin append apply assume-unchanged atomic attach
  author author-date-order auto auto-gc auto-maintenance autosquash autostash bare base basic-regexp batch
  batch-all-objects batch-check batch-command before before-context binary boundary branch branches break
  break-rewrites broken buffer build-options cache cached cacheinfo candidates cc check checkout cherry
  cherry-mark cherry-pick children chmod cleanup clear-decorations clear-resolve-undo color color-by-age
  color-lines color-moved color-moved-ws color-words column combined-all-paths commit committer committer-
  date-is-author-date compact-summary conflict connectivity-only contains context continue copy count
  cover-from-description cover-letter create create-reflog creation-factor cruft cumulative current
  dangling date date-order debug debug-unpack decorate decorate-refs decorate-refs-exclude deduplicate
  deepen default delete deleted delta-islands dense depth deref detach developer-interfaces diff-algorithm
  diff-filter dirstat dirstat-by-file dirty discard-changes dissociate do-walk dry-run dst-prefix dual-
  color edit-description email empty empty-directory encoding end-of-options eol error-unmatch exact-match
  exclude exclude-existing exclude-from exclude-guides exclude-promisor-objects exclude-standard exit-code
  expand-tabs expire ext extended-regexp external-commands ff ff-only filename-max-length files-with-
  matches files-without-match filter filters find-copies find-copies-harder find-object find-renames first-
  parent fixed-strings fixup flags follow follow-symlinks follow-tags force force-create force-if-includes
  force-in-body-from force-rebase force-remove force-untracked-cache force-with-lease force-write-index
  fork-point format fsmonitor-valid full full-history full-index full-name full-tree function-context
  geometric get-url git-common-dir git-completion-helper-all git-path glob glob-pathspecs graph grep group
  guess guides hard hardlinks hash head header heading heads help histogram html-path human-readable icase-
  pathspecs ignore-all-space ignore-blank-lines ignore-cache-tree ignore-case ignore-cr-at-eol ignore-date
  ignore-errors ignore-if-in-upstream ignore-matching-lines ignore-missing ignore-other-worktrees ignore-
  removal ignore-rev ignore-revs-file ignore-skip-worktree-bits ignore-skip-worktree-entries ignore-space-
  at-eol ignore-space-change ignore-submodules ignore-unmatch ignore-unmerged ignore-whitespace ignored in-
  reply-to inaccurate-eof include include-untracked incremental indent-heuristic independent index index-
  info index-version info info-only info-path initial-branch inline intent-to-add inter-hunk-context
  interdiff into-name invert-grep invert-match ipv4 ipv6 irreversible-delete is-ancestor is-bare-repository
  is-inside-git-dir is-inside-work-tree is-shallow-repository ita-invisible-in-index ita-visible-in-index
  jobs keep keep-base keep-cr keep-empty keep-index keep-non-patch keep-redundant-commits keep-subject
  keep-unreachable killed left-only left-right line-number line-porcelain line-prefix list literal-
  pathspecs literally local local-env-vars log log-size long lost-found m mailmap mainline man man-path
  match max-count max-depth max-pack-size max-parents merge merge-base merged merges message message-id
  min-parents minimal mirror missing-ok mixed modified more move multiple naked name name-objects name-only
  name-status negotiate-only negotiation-tip no-flags no-lazy-fetch no-merges no-optional-locks no-replace-
  objects no-revs no-walk noglob-pathspecs non-matching not not-merges notes null numbered numbered-files
  numstat object-format object-only objects objects-edge octopus oneline only only-matching only-untracked
  onto or origin orphan others ours overlay overwrite-ignore pack-kept-objects parents patch patch-format
  patch-with-raw patch-with-stat path path-format pathspec-file-nul pathspec-from-file patience peel-tag
  perl-regexp pickaxe-all pickaxe-regex points-at pop porcelain post-rewrite prefetch preserve-merges
  pretty progress prune prune-tags push-option quiet quit quoted-cr range-diff raw really-refresh reapply-
  cherry-picks rebase rebase-merges rebasing recount recurse recurse-submodules recurse-submodules-default
  recursive ref refetch reflog reflogs refmap refresh refs reject reject-shallow relative relative-date
  remote-submodules remotes remove rename-empty renames renormalize replace rerere-autoupdate reroll-count
  reset reset-author reset-author-date resolve-undo resolved resolvemsg reuse-message reverse revs-only rfc
  right-only root rotate-to scissors score-debug set-upstream set-upstream-to sha1-name shallow-exclude
  shallow-since shallow-submodules short shortstat show-cdup show-current show-current-patch show-email
  show-forced-updates show-function show-linear-break show-name show-notes show-number show-object-format
  show-prefix show-pulls show-signature show-stash show-stats show-superproject-working-tree show-toplevel
  signature signature-file signoff simplify-by-decoration simplify-merges since single-branch skip skip-to
  skip-worktree soft sort source sparse sparse-checkout split-index sq-quote src-prefix stage staged stat
  stat-count stat-graph-width stat-name-width stat-only stat-width status stdin stdin-paths stdout strict
  subject-prefix submodule submodule-prefix suffix summary symbolic symbolic-full-name symref tags test-
  untracked-cache text theirs thin thread threads timestamp topics topo-order track trivial unidiff-zero
  unified unmerged unordered unpack-unreachable unpacked unreachable unresolve unset-upstream unshallow
  until untracked untracked-cache untracked-files update update-head-ok update-refs update-shallow use-
  bitmap-index use-mailmap user-interfaces utf8 verbose verify verify-signatures version warn-embedded-repo
  whitespace window window-memory with with-tree without word-diff word-diff-regex word-regexp worktree
  write-bitmap-index write-commit-graph write-fetch-head write-midx ws-error-highlight zero-commit`.split(
    /\s+/,
  ),
);

/** Letters of the options that every command with a diff accepts. */
const diffLetters = "BCDGIMRSUWXabcmprstuwz0123456789";

/** Letters of the options of git's subcommands, where they have any. Source: `git <subcommand> -h` of git 2.39, reviewed. */
export const gitLetters: ReadonlyMap<string, string> = new Map(
  Object.entries({
    add: "ANfnpuv",
    am: "3Cckmpqrsu",
    apply: "3CNRpqvz",
    archive: "lv",
    blame: "CLMSbceflnpstw",
    branch: "CDMacdfilmqrtuv",
    "cat-file": "epstz",
    "check-attr": "az",
    "check-ignore": "nqvz",
    checkout: "23Bbdflmpqt",
    cherry: "v",
    "cherry-pick": "mnsx",
    clean: "Xdefnqx",
    clone: "46bjlnoqsv",
    commit: "Cacimnopqsuvz",
    "commit-tree": "Fmp",
    "count-objects": "Hv",
    diff: diffLetters,
    "diff-files": diffLetters,
    "diff-index": diffLetters,
    "diff-tree": diffLetters,
    fetch: "46Pafjkmnpqtuv",
    "for-each-ref": "ps",
    "format-patch": diffLetters + "Nknpqsv",
    fsck: "v",
    gc: "q",
    grep: "ABCEFGHILPWacefhilmnopqrvwz",
    "hash-object": "tw",
    help: "agimvw",
    init: "bq",
    log: diffLetters + "EFLPginq",
    "ls-files": "Xcdfikmostuvxz",
    "ls-remote": "hqt",
    "ls-tree": "dlrtz",
    merge: "mnqv",
    "merge-base": "a",
    mv: "fknv",
    notes: "m",
    prune: "nv",
    pull: "46afjknpqrtv",
    push: "46dfnoquv",
    "range-diff": diffLetters + "BCDGIMORSUWXablpsuwz",
    "read-tree": "imnquv",
    rebase: "Cfmnqrv",
    reflog: diffLetters + "EFLPginq",
    remote: "vftmn",
    repack: "AFabdfgiklmnq",
    reset: "Npq",
    restore: "23SWmpqs",
    "rev-list": diffLetters + "EFLPginq",
    revert: "mns",
    rm: "fnqr",
    shortlog: "EFLPceginqsw",
    show: diffLetters + "EFLPginq",
    "show-branch": "agr",
    "show-ref": "qs",
    stash: diffLetters + "Sakmnpqu",
    status: "Mbsuvz",
    switch: "Ccdfmqt",
    "symbolic-ref": "dmq",
    tag: "adfilmnsv",
    "update-index": "gqz",
    "update-ref": "dmz",
    "verify-commit": "v",
    "verify-pack": "sv",
    "verify-tag": "v",
    whatchanged: diffLetters + "EFLPginq",
    worktree: "bBfdnv",
  } satisfies Record<string, string>),
);
