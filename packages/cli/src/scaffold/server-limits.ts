/** For one kind of package: what a server's description may say about how to start it, because its author is not known. */
interface PackageKind {
  /** Matches names in the default registry of this kind, but no path, address, alias or option. */
  readonly name: RegExp;
  /** Arguments that the description may place before the package. */
  readonly runtime: ReadonlySet<string>;
}

const kinds: Readonly<Record<string, PackageKind>> = {
  npm: {
    name: /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~][\w.~-]*$/i,
    runtime: new Set(["-y", "--yes", "-q", "--quiet"]),
  },
  pypi: { name: /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i, runtime: new Set() },
  oci: {
    name: /^[a-z0-9](?:[\w.-]*[a-z0-9])?(?::\d{1,5})?(?:\/[a-z0-9][\w.-]*)*(?::[\w.-]+)?(?:@sha256:[0-9a-f]{64})?$/i,
    runtime: new Set(["-i", "--interactive", "--rm", "--init", "--pull=always", "--network=none"]),
  },
  nuget: { name: /^[a-z0-9_][\w.-]*$/i, runtime: new Set(["--yes"]) },
};

/**
 * Variables that a description must not set, because they decide which code a program loads, from where, or through which proxy.
 */
const loaders =
  /^(?:zdotdir|prompt_command|less(?:open|close)|java_home|phprc|php_ini_scan_dir|chrome_path|go(?:flags|proxy|path|root|bin|env)|\w+_executable_path|rustc\w*|(?:electron|tsx|ts_node|cargo|lua_init|r_profile|r_environ|julia|erl|gem|bundle|maven|mvn|gradle|sbt)_\w*|lua_init|r_profile|r_environ|path|home|shell|env|ifs|bash_env|editor|visual|pager|browser|tmpdir|temp|tmp|virtual_env|hostaliases|locpath|nlspath|gconv_path|glibc_tunables|res_options|rubyopt|rubylib|_java_options|java_tool_options|jdk_java_options|classpath|ssl_cert_\w+|requests_ca_bundle|curl_ca_bundle|(?:http|https|all|no|ftp)_proxy|pathext|comspec|systemroot|appdata|localappdata|userprofile|init_cwd|(?:ld|dyld|node|npm_config|npm_package|npm_lifecycle|corepack|yarn|pnpm|bun|deno|uv|pip|conda|poetry|docker|podman|container|buildkit|dotnet|nuget|coreclr|corehost|complus|git|ssh|openssl|xdg|malloc)_\w*|(?:python|perl5|msbuild)\w*)$/i;

/** Variables that {@link loaders} matches but that are allowed, because they only change how a program prints or runs. */
const harmless = /^(?:python(?:unbuffered|ioencoding|utf8|dontwritebytecode)|node_env)$/i;

/** Returns why a package cannot be added from the description of an unknown author; undefined if it can. */
export function limitOf(
  kind: string,
  identifier: string,
  runtime: readonly string[],
  variables: readonly string[],
): string | undefined {
  const { name, runtime: known } = kinds[kind]!;
  const own = "; write the entry yourself, if you trust it";
  if (!name.test(identifier))
    return `its identifier ${JSON.stringify(identifier.slice(0, 200))} is no name of a package${own}`;
  const word = runtime.find((each) => !known.has(each));
  if (word !== undefined)
    return `its runtime argument ${JSON.stringify(word.slice(0, 200))} is ${known.size === 0 ? "not taken" : `not one of ${[...known].join(", ")}`}${own}`;
  const variable = variables.find(
    (each) => !/^[a-z_]\w*$/i.test(each) || (loaders.test(each) && !harmless.test(each)),
  );
  if (variable === undefined) return undefined;
  return `its variable ${JSON.stringify(variable.slice(0, 200))} decides what a program loads${own}`;
}
