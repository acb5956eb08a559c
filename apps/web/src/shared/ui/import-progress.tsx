import { cancelImport, getImportProgress, type ImportProgress } from '@isotherm/contracts/imports';
import { useEffect, useState } from 'react';
import { isMissing } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { useText } from '../i18n/use-text.ts';

/** Polling interval in ms; short imports end before the first poll. */
const ASK_EVERY_MS = 700;
const pause = () => new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));

/**
 * Returns a unique id. `crypto.randomUUID` is not used, because it requires HTTPS and not every console has
 * it.
 */
export function newImportId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // The bits that mark version 4 and variant 1 of a UUID (RFC 9562).
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/**
 * Cancels a running import. While the file is still being uploaded, the server does not know the import yet,
 * so the request is repeated.
 */
export async function cancelRunning(id: string, isRunning: () => boolean): Promise<void> {
  while (isRunning()) {
    try {
      await call(cancelImport, { params: { id }, quiet: true });
      return;
    } catch (error) {
      if (!isMissing(error)) throw error;
      await pause();
    }
  }
}

/** Returns the progress of an import; null during the upload. */
function useImportProgress(id: string): ImportProgress | null {
  const [progress, setProgress] = useState<ImportProgress | null>(null);
  useEffect(() => {
    const over = new AbortController();
    async function follow() {
      await pause();
      while (!over.signal.aborted) {
        try {
          setProgress(await call(getImportProgress, { params: { id }, signal: over.signal, quiet: true }));
        } catch {
          // The import has not started, has just ended, or the connection is lost. The response of the
          // import itself contains the result.
        }
        await pause();
      }
    }
    void follow();
    return () => over.abort();
  }, [id]);
  return progress;
}

/** Progress bar with text. While the import is being cancelled, no count is shown. */
export function ImportProgressBar({ id, isCancelling }: { id: string; isCancelling: boolean }) {
  const { text } = useText();
  const { phase, done, total } = useImportProgress(id) ?? { phase: 'sending', done: 0, total: 0 };
  const words = isCancelling
    ? text('common.import.cancelling')
    : text(`common.import.progress.${phase}`, { done, total });
  const isCounted = total > 0 && !isCancelling;
  return (
    <div className="import-progress">
      <div
        role="progressbar"
        className={isCounted ? 'import-bar' : 'import-bar import-bar-uncounted'}
        aria-label={words}
        {...(isCounted ? { 'aria-valuemin': 0, 'aria-valuemax': total, 'aria-valuenow': done } : {})}
      >
        {/* Each phase starts from zero. */}
        <span key={phase} style={isCounted ? { width: `${(100 * done) / total}%` } : {}} />
      </div>
      <p className="import-state" aria-hidden="true">
        {words}
      </p>
    </div>
  );
}
