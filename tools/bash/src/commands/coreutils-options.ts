/** Options of a command that neither run a program nor write a further file. Any other option needs approval. */
export interface KnownOptions {
  /** Letters of options without a value. */
  readonly flags: string;
  /** Letters of options with a value, in the same word or the next. */
  readonly valued: string;
  /** Long options, without their dashes. */
  readonly long: ReadonlySet<string>;
}

function options(flags: string, valued: string, long: string): KnownOptions {
  return { flags, valued, long: new Set(long.split(" ")) };
}

/** Options of GNU coreutils 9, grep, diff and cmp. Source: the `--help` of each, read once and reviewed. */
export const coreutilsOptions: ReadonlyMap<string, KnownOptions> = new Map(
  Object.entries({
    arch: options("", "", "help version"),
    b2sum: options(
      "bctwz",
      "l",
      "binary check help ignore-missing length quiet status strict tag text version warn zero",
    ),
    base32: options("di", "w", "decode help ignore-garbage version wrap"),
    base64: options("di", "w", "decode help ignore-garbage version wrap"),
    basename: options("az", "s", "help multiple suffix version zero"),
    basenc: options(
      "di",
      "w",
      "base16 base2lsbf base2msbf base32 base32hex base64 base64url decode help ignore-garbage version wrap z85",
    ),
    cat: options(
      "AETbenstuv",
      "",
      "help number number-nonblank show-all show-ends show-nonprinting show-tabs squeeze-blank version",
    ),
    chgrp: options(
      "HLPRcfhv",
      "",
      "changes dereference help no-dereference no-preserve-root preserve-root quiet recursive reference silent verbose version",
    ),
    chmod: options(
      "Rcfv",
      "",
      "changes help no-preserve-root preserve-root quiet recursive reference silent verbose version",
    ),
    chown: options(
      "HLPRcfhv",
      "",
      "changes dereference from help no-dereference no-preserve-root preserve-root quiet recursive reference silent verbose version",
    ),
    cksum: options(
      "cwz",
      "al",
      "algorithm check debug help ignore-missing length quiet status strict tag untagged version warn zero",
    ),
    cmp: options("blsv", "in", "bytes help ignore-initial print-bytes quiet silent verbose version"),
    comm: options(
      "123z",
      "",
      "check-order help nocheck-order output-delimiter total version zero-terminated",
    ),
    cp: options(
      "HLPRTZabdfinpruvx",
      "St",
      "archive attributes-only backup context copy-contents dereference force help interactive no-clobber no-dereference no-preserve no-target-directory one-file-system parents preserve recursive reflink remove-destination sparse strip-trailing-slashes suffix target-directory update verbose version",
    ),
    csplit: options(
      "ksz",
      "bfn",
      "digits elide-empty-files help keep-files prefix quiet silent suffix-format suppress-matched version",
    ),
    cut: options(
      "Mnsz",
      "bcdf",
      "bytes characters complement delimiter fields help only-delimited output-delimiter version zero-terminated",
    ),
    date: options(
      "IRu",
      "dfr",
      "date debug file help iso-8601 reference resolution rfc-3339 rfc-email universal utc version",
    ),
    dd: options("", "", "help version"),
    df: options(
      "HPTahiklv",
      "Btx",
      "all block-size exclude-type help human-readable inodes local no-sync output portability print-type si sync total type version",
    ),
    diff: options(
      "BENTZabdeinpqrstvwy",
      "CDFISUWXcux",
      "brief color context ed exclude exclude-from expand-tabs from-file help horizon-lines ifdef ignore-all-space ignore-blank-lines ignore-case ignore-file-name-case ignore-matching-lines ignore-space-change ignore-tab-expansion ignore-trailing-space initial-tab label left-column line-format minimal new-file no-dereference no-ignore-file-name-case normal palette rcs recursive report-identical-files show-c-function show-function-line side-by-side speed-large-files starting-file strip-trailing-cr suppress-blank-empty suppress-common-lines tabsize text to-file unidirectional-new-file unified version width",
    ),
    dir: options(
      "1ABCDFGHLNQRSUXZabcdfghiklmnoqrstuvx",
      "ITpw",
      "all almost-all author block-size classify color context dereference dereference-command-line dereference-command-line-symlink-to-dir directory dired escape file-type format full-time group-directories-first help hide hide-control-chars human-readable hyperlink ignore ignore-backups indicator-style inode kibibytes literal no-group numeric-uid-gid quote-name quoting-style recursive reverse show-control-chars si size sort tabsize time time-style version width zero",
    ),
    dircolors: options("bcp", "", "bourne-shell c-shell csh help print-database print-ls-colors sh version"),
    dirname: options("z", "", "help version zero"),
    du: options(
      "0DHLPSabchklmsx",
      "BXdt",
      "all apparent-size block-size bytes count-links dereference dereference-args exclude exclude-from files0-from help human-readable inodes max-depth no-dereference null one-file-system separate-dirs si summarize threshold time time-style total version",
    ),
    echo: options("Een", "", "help version"),
    expand: options("i", "t", "help initial tabs version"),
    expr: options("", "", "help version"),
    factor: options("", "", "help version"),
    false: options("", "", "help version"),
    fmt: options(
      "cstu",
      "gpw",
      "crown-margin goal help prefix split-only tagged-paragraph uniform-spacing version width",
    ),
    fold: options("bs", "w", "bytes help spaces version width"),
    grep: options(
      "EFGHILPRTUVZabchilnoqrsvwxz",
      "ABCDNdefm",
      "after-context basic-regexp before-context binary binary-files byte-offset color colour context count dereference-recursive devices directories exclude exclude-dir exclude-from extended-regexp file files-with-matches files-without-match fixed-strings group-separator help ignore-case include initial-tab invert-match label line-buffered line-number line-regexp max-count no-filename no-group-separator no-ignore-case no-messages null null-data only-matching perl-regexp quiet recursive regexp silent text version with-filename word-regexp",
    ),
    groups: options("", "", "help version"),
    head: options("qvz", "cn", "bytes help lines quiet silent verbose version zero-terminated"),
    hostid: options("", "", "help version"),
    id: options("GZagnruz", "", "context group groups help name real user version zero"),
    install: options(
      "CDTZbcdpsv",
      "Sgmot",
      "backup compare context directory group help mode no-target-directory owner preserve-context preserve-timestamps strip suffix target-directory verbose version",
    ),
    join: options(
      "iz",
      "12aejotv",
      "check-order header help ignore-case nocheck-order version zero-terminated",
    ),
    link: options("", "", "help version"),
    ln: options(
      "FLPTbdfinrsv",
      "St",
      "backup directory force help interactive logical no-dereference no-target-directory physical relative suffix symbolic target-directory verbose version",
    ),
    logname: options("", "", "help version"),
    ls: options(
      "1ABCDFGHLNQRSUXZabcdfghiklmnoqrstuvx",
      "ITpw",
      "all almost-all author block-size classify color context dereference dereference-command-line dereference-command-line-symlink-to-dir directory dired escape file-type format full-time group-directories-first help hide hide-control-chars human-readable hyperlink ignore ignore-backups indicator-style inode kibibytes literal no-group numeric-uid-gid quote-name quoting-style recursive reverse show-control-chars si size sort tabsize time time-style version width zero",
    ),
    md5sum: options(
      "bctwz",
      "",
      "binary check help ignore-missing quiet status strict tag text version warn zero",
    ),
    mkdir: options("Zpv", "m", "context help mode parents verbose version"),
    mkfifo: options("Z", "m", "context help mode version"),
    mknod: options("Z", "m", "context help mode version"),
    mktemp: options("dqtu", "p", "directory dry-run help quiet suffix tmpdir version"),
    mv: options(
      "TZbfinuv",
      "St",
      "backup context force help interactive no-clobber no-target-directory strip-trailing-slashes suffix target-directory update verbose version",
    ),
    nl: options(
      "p",
      "bdfhilnsvw",
      "body-numbering footer-numbering header-numbering help join-blank-lines line-increment no-renumber number-format number-separator number-width section-delimiter starting-line-number version",
    ),
    nproc: options("", "", "all help ignore version"),
    numfmt: options(
      "Mz",
      "d",
      "debug delimiter field format from from-unit grouping header help invalid padding round suffix to to-unit version zero-terminated",
    ),
    od: options(
      "abcdfilosvwx",
      "ANSjt",
      "address-radix endian format help output-duplicates read-bytes skip-bytes strings traditional version width",
    ),
    paste: options("sz", "d", "delimiters help serial version zero-terminated"),
    pathchk: options("Pp", "", "help portability version"),
    pinky: options("bfhilpqsw", "", "help version"),
    pr: options(
      "FJSTacdefimnrstv",
      "CDNWhlow",
      "across columns date-format double-space expand-tabs first-line-number form-feed header help indent join-lines length merge no-file-warnings number-lines omit-header omit-pagination output-tabs page-width sep-string separator show-control-chars show-nonprinting version width",
    ),
    printenv: options("0", "", "help null version"),
    printf: options("", "", "help version"),
    ptx: options(
      "ARfrt",
      "FMOSTWbgiow",
      "auto-reference break-file flag-truncation format gap-size help ignore-case ignore-file macro-name only-file references right-side-refs sentence-regexp typeset-mode version width word-regexp",
    ),
    pwd: options("LP", "", "help logical physical version"),
    readlink: options(
      "efmnqsvz",
      "",
      "canonicalize canonicalize-existing canonicalize-missing help no-newline quiet silent verbose version zero",
    ),
    realpath: options(
      "LPemqsz",
      "",
      "canonicalize-existing canonicalize-missing help logical no-symlinks physical quiet relative-base relative-to strip version zero",
    ),
    rm: options(
      "IRdfirv",
      "",
      "dir force help interactive no-preserve-root one-file-system preserve-root recursive verbose version",
    ),
    rmdir: options("pv", "", "help ignore-fail-on-non-empty parents verbose version"),
    seq: options("w", "fs", "equal-width format help separator version"),
    sha1sum: options(
      "bctwz",
      "",
      "binary check help ignore-missing quiet status strict tag text version warn zero",
    ),
    sha224sum: options(
      "bctwz",
      "",
      "binary check help ignore-missing quiet status strict tag text version warn zero",
    ),
    sha256sum: options(
      "bctwz",
      "",
      "binary check help ignore-missing quiet status strict tag text version warn zero",
    ),
    sha384sum: options(
      "bctwz",
      "",
      "binary check help ignore-missing quiet status strict tag text version warn zero",
    ),
    sha512sum: options(
      "bctwz",
      "",
      "binary check help ignore-missing quiet status strict tag text version warn zero",
    ),
    shred: options(
      "fuvxz",
      "ns",
      "exact force help iterations random-source remove size verbose version zero",
    ),
    shuf: options(
      "erz",
      "in",
      "echo head-count help input-range random-source repeat version zero-terminated",
    ),
    sleep: options("", "", "help version"),
    sort: options(
      "MRVbdfghimnrsuz",
      "CSckt",
      "batch-size buffer-size check debug dictionary-order field-separator files0-from general-numeric-sort help human-numeric-sort ignore-case ignore-leading-blanks ignore-nonprinting key merge month-sort numeric-sort parallel random-sort random-source reverse sort stable unique version version-sort zero-terminated",
    ),
    split: options(
      "deux",
      "Cablnt",
      "additional-suffix bytes elide-empty-files help hex-suffixes line-bytes lines number numeric-suffixes separator suffix-length unbuffered verbose version",
    ),
    stat: options("Lcft", "", "cached dereference file-system help printf terse version"),
    stty: options("ag", "celnopr", "all help save version"),
    sum: options("rs", "", "help sysv version"),
    sync: options("df", "", "data file-system help version"),
    tac: options("br", "s", "before help regex separator version"),
    tail: options(
      "Ffqvz",
      "cns",
      "bytes follow help lines max-unchanged-stats pid quiet retry silent sleep-interval verbose version zero-terminated",
    ),
    tee: options("aip", "", "append help ignore-interrupts output-error version"),
    touch: options("acfhm", "drt", "date help no-create no-dereference reference time version"),
    tr: options("Ccdst", "", "complement delete help squeeze-repeats truncate-set1 version"),
    true: options("", "", "help version"),
    truncate: options("co", "rs", "help io-blocks no-create reference size version"),
    tsort: options("", "", "help version"),
    tty: options("s", "", "help quiet silent version"),
    uname: options(
      "aimnoprsv",
      "",
      "all hardware-platform help kernel-name kernel-release kernel-version machine nodename operating-system processor version",
    ),
    unexpand: options("a", "t", "all first-only help tabs version"),
    uniq: options(
      "Dcdiuz",
      "fsw",
      "all-repeated check-chars count group help ignore-case repeated skip-chars skip-fields unique version zero-terminated",
    ),
    unlink: options("", "", "help version"),
    uptime: options("Vhps", "", "help pretty since version"),
    users: options("", "", "help version"),
    vdir: options(
      "1ABCDFGHLNQRSUXZabcdfghiklmnoqrstuvx",
      "ITpw",
      "all almost-all author block-size classify color context dereference dereference-command-line dereference-command-line-symlink-to-dir directory dired escape file-type format full-time group-directories-first help hide hide-control-chars human-readable hyperlink ignore ignore-backups indicator-style inode kibibytes literal no-group numeric-uid-gid quote-name quoting-style recursive reverse show-control-chars si size sort tabsize time time-style version width zero",
    ),
    wc: options("Lclmw", "", "bytes chars files0-from help lines max-line-length version words"),
    which: options("", "", ""),
    who: options(
      "HTabdlmpqrstuw",
      "",
      "all boot count dead heading help ips login lookup mesg message process runlevel short time users version writable",
    ),
    whoami: options("", "", "help version"),
    yes: options("", "", "help version"),
  }),
);
