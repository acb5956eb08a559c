import { getSite, type Site } from '@isotherm/contracts/settings';

/**
 * Loads brand and settings. The server writes them into the page; with a development server they are
 * requested.
 */
export async function loadSite(): Promise<Site> {
  const text = document.getElementById('boot')?.textContent ?? '';
  if (text.trimStart().startsWith('{')) return getSite.response.parse(JSON.parse(text));
  // This request is not signed, because its response contains the salt for signatures.
  const response = await fetch(`/api${getSite.path}`);
  const envelope = (await response.json()) as { data: unknown };
  return getSite.response.parse(envelope.data);
}

export function pageNonce(): string | undefined {
  const nonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? '';
  return nonce === '' || nonce === '__NONCE__' ? undefined : nonce;
}
