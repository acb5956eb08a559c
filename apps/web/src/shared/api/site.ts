import { getSite, type Site } from '@isotherm/contracts/settings';

/**
 * Brand and settings: written into the page by the server; asked for when a development server, which
 * writes nothing, sent the page.
 */
export async function loadSite(): Promise<Site> {
  const text = document.getElementById('boot')?.textContent ?? '';
  if (text.trimStart().startsWith('{')) return getSite.response.parse(JSON.parse(text));
  // Unsigned: the salt of signatures is in the answer.
  const response = await fetch(`/api${getSite.path}`);
  const envelope = (await response.json()) as { data: unknown };
  return getSite.response.parse(envelope.data);
}

export function pageNonce(): string | undefined {
  const nonce = document.querySelector('meta[name="csp-nonce"]')?.getAttribute('content') ?? '';
  return nonce === '' || nonce === '__NONCE__' ? undefined : nonce;
}
