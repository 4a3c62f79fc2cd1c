import { signIn, type CredentialStore, type SignedIn } from "@toolmount/mcp";

/** Signs in as a person would whose browser agrees to everything: it follows the redirects. */
export function signInByFetch(
  settings: Readonly<Record<string, unknown>>,
  { folder, store }: { readonly folder: string; readonly store?: CredentialStore },
): Promise<SignedIn> {
  const open = async (address: URL) => void (await (await fetch(address)).text());
  return signIn({ settings, folder, store, open });
}
