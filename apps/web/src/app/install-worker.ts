/** Installs the service worker, which shows alarms as notifications and a page while the server cannot be reached. */
export function installWorker(): void {
  // Browsers have none without TLS.
  if (!('serviceWorker' in navigator)) return;
  void navigator.serviceWorker.register('/service-worker.js', { updateViaCache: 'none' }).catch(() => {
    // The console works without it, as on the development server; the tab of browser notifications says what is missing.
  });
}
