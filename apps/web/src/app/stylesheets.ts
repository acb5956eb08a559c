const FIRST_RETRY_MS = 5_000;
/** A stylesheet that a new release has removed is requested rarely by consoles that stay open. */
const LONGEST_RETRY_MS = 600_000;

/**
 * Loads stylesheets again that could not be loaded, until they are. The bundler requests the stylesheet of a page only once,
 * so that a page whose code was fetched ahead during an outage would have no styles until the console is reloaded.
 */
export function retryStylesheets(): void {
  // Load errors of elements do not bubble.
  document.addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return;
      const waitMs = Number(target.dataset.retryMs ?? FIRST_RETRY_MS);
      setTimeout(() => {
        const again = target.cloneNode() as HTMLLinkElement;
        again.dataset.retryMs = String(Math.min(2 * waitMs, LONGEST_RETRY_MS));
        target.replaceWith(again);
      }, waitMs);
    },
    { capture: true },
  );
}
