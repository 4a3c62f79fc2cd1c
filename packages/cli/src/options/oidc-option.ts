import { InvalidArgumentError } from "commander";
import { nearestNames } from "@toolmount/core/text";
import type { OidcOptions } from "../http/access.ts";

const names: readonly (keyof OidcOptions)[] = ["issuer", "audience", "roles", "client", "scope", "secret"];

/** Reads one `name=value` of `--oidc` beside those before it. */
export function readOidc(text: string, before: OidcOptions = {}): OidcOptions {
  const [, name = "", value = ""] = /^([^=]*)=(.+)$/s.exec(text) ?? [];
  if (names.some((known) => known === name)) return { ...before, [name]: value };
  const [near] = nearestNames(name, names);
  const hint = near === undefined ? "" : ` Did you mean ${near}=…?`;
  throw new InvalidArgumentError(`Give ${names.map((known) => `${known}=…`).join(", ")}.${hint}`);
}
