const KEY = 'isotherm.page-reload';
/** A page whose code cannot be loaded after a reload either is reported. */
const ONCE_IN_MS = 60_000;

/**
 * Returns whether to load the console again at an address, because the code of its page could not be loaded: the connection was
 * lost while it was fetched ahead, or a new release has replaced it. A browser does not request code that failed again before
 * the document is left. False while the server is away, or if this was tried a moment ago.
 */
export async function shouldReload(address: string, now: number): Promise<boolean> {
  const [triedAddress, triedAt] = (sessionStorage.getItem(KEY) ?? '').split(' ');
  if (triedAddress === address && now - Number(triedAt) < ONCE_IN_MS) return false;
  try {
    const answer = await fetch(address, { cache: 'no-store' });
    if (!answer.ok) return false;
  } catch {
    return false;
  }
  sessionStorage.setItem(KEY, `${address} ${now}`);
  return true;
}
