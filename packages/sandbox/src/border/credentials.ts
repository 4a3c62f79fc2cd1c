import { existsSync } from "node:fs";
import { isAbsolute, join } from "node:path";

/** Names in a home folder whose files hold keys, passwords, tokens, cookies, or commands that a person typed. */
const names = [
  // Keys, and programs that keep passwords
  ".ssh",
  ".gnupg",
  ".password-store",
  ".local/share/keyrings",
  ".local/share/kwalletd",
  ".config/op",
  ".config/Bitwarden",
  ".config/Bitwarden CLI",
  ".config/KeePassXC",
  ".config/keepassxc",
  ".config/gopass",
  ".config/sops",
  ".config/age",
  ".vault-token",
  // Version control and registries of packages
  ".git-credentials",
  ".config/git/credentials",
  ".config/gh",
  ".config/glab-cli",
  ".config/hub",
  ".netrc",
  ".npmrc",
  ".yarnrc.yml",
  ".pypirc",
  ".gem/credentials",
  ".cargo/credentials",
  ".cargo/credentials.toml",
  ".m2/settings-security.xml",
  ".docker/config.json",
  ".config/containers/auth.json",
  // Clouds and databases
  ".aws",
  ".azure",
  ".config/gcloud",
  ".kube",
  ".oci",
  ".aliyun",
  ".boto",
  ".s3cfg",
  ".config/rclone",
  ".config/doctl",
  ".config/hcloud",
  ".config/heroku",
  ".config/netlify",
  ".config/configstore",
  ".fly",
  ".railway",
  ".databrickscfg",
  ".snowflake",
  ".terraform.d/credentials.tfrc.json",
  ".terraformrc",
  ".pgpass",
  ".my.cnf",
  ".mylogin.cnf",
  ".kaggle",
  ".huggingface",
  ".cache/huggingface/token",
  // Agents
  ".claude.json",
  ".claude/.credentials.json",
  ".codex/auth.json",
  ".gemini",
  ".config/github-copilot",
  ".local/share/opencode/auth.json",
  // Browsers, mail and wallets
  ".mozilla",
  ".config/google-chrome",
  ".config/chromium",
  ".config/BraveSoftware",
  ".config/microsoft-edge",
  ".config/opera",
  ".config/vivaldi",
  ".thunderbird",
  ".electrum",
  ".bitcoin",
  ".ethereum",
  ".config/solana",
  // What a person typed
  ".bash_history",
  ".zsh_history",
  ".local/share/fish/fish_history",
  ".python_history",
  ".node_repl_history",
  ".psql_history",
  ".mysql_history",
];

/** Files of the machine that only its administrator reads. */
const ofMachine = ["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/ssl/private", "/etc/ssh"];

/** Variables that name another place of such a file or folder. */
const variables = [
  "GNUPGHOME",
  "NETRC",
  "NPM_CONFIG_USERCONFIG",
  "DOCKER_CONFIG",
  "KUBECONFIG",
  "AWS_SHARED_CREDENTIALS_FILE",
  "AWS_CONFIG_FILE",
  "AZURE_CONFIG_DIR",
  "CLOUDSDK_CONFIG",
  "GOOGLE_APPLICATION_CREDENTIALS",
  "PGPASSFILE",
  "HISTFILE",
];

/**
 * Returns the files and folders of this machine that hold credentials of the user with these variables, or what the user typed. A
 * program that runs without a person's yes should not see them. Only paths that exist are returned.
 */
export function credentialPaths(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const { HOME: home } = env;
  const named = variables.flatMap((name) => env[name]?.split(":") ?? []).filter((path) => isAbsolute(path));
  const inHome = home === undefined || home === "" ? [] : names.map((name) => join(home, name));
  return [...new Set([...inHome, ...named, ...ofMachine])].filter((path) => existsSync(path));
}
