import type { SignedIn } from "@toolmount/core";
import { signIn, type CredentialStore } from "@toolmount/mcp";

/** Opens the address of a sign-in as a person whose browser agrees to everything. */
export async function browse(address: URL, person?: string): Promise<void> {
  const there = new URL(address);
  if (person !== undefined) there.searchParams.set("login", person);
  await (await fetch(there)).text();
}

/** Signs in as a person would whose browser agrees to everything: it follows the redirects. */
export function signInByFetch(
  settings: Readonly<Record<string, unknown>>,
  {
    folder,
    store,
    user,
  }: { readonly folder: string; readonly store?: CredentialStore; readonly user?: string },
): Promise<SignedIn> {
  const open = (address: URL) => browse(address, user);
  return signIn({ settings, folder, store, user, open });
}
