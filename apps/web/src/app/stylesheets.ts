const RETRY_MS = 5_000;

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
      setTimeout(() => target.replaceWith(target.cloneNode()), RETRY_MS);
    },
    { capture: true },
  );
}
