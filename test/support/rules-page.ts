import type { Profile } from "@toolmount/core/validation";
import { amplifierProfile, aptixProfile, forgeProfile } from "@toolmount/interop";
import { coreProfile } from "@toolmount/testing";

/** The tables of rules that docs/reference/rules.md ends with, one a profile. */
export function writeRules(): string {
  return [coreProfile, aptixProfile, amplifierProfile, forgeProfile].map(writeProfile).join("\n");
}

function writeProfile({ name, moduleRules = [], toolRules = [] }: Profile): string {
  const rows = [...moduleRules, ...toolRules].map(
    ({ id, severity, why, fix }) => `| \`${id}\` | ${severity} | ${cell(why)} | ${cell(fix)} |`,
  );
  return [
    `## ${name}`,
    "",
    "| rule | severity | why | how to fix it |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|").replaceAll("<", "&lt;");
}
