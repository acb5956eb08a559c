import { cancelImport, getImportProgress, type ImportProgress } from '@isotherm/contracts/imports';
import { useEffect, useState } from 'react';
import { isMissing } from '../api/api-error.ts';
import { call } from '../api/client.ts';
import { useText } from '../i18n/use-text.ts';

/** Short imports are over before the first question. */
const ASK_EVERY_MS = 700;
const pause = () => new Promise((resolve) => setTimeout(resolve, ASK_EVERY_MS));

/** A name for an import that no other bears. `crypto.randomUUID` wants https, which not every console has. */
export function newImportId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // Version 4, variant 1 (RFC 9562).
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

/** Cancels an import while it is under way: what is still being sent has not begun there, and is asked again. */
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

/** How far an import is; null while its file is on its way. */
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
          // Not begun, just over, or the line is down: the answer of the import itself says what came of it.
        }
        await pause();
      }
    }
    void follow();
    return () => over.abort();
  }, [id]);
  return progress;
}

/** A bar and its words. Cancelling shows no count: it goes to nothing. */
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
        {/* Each phase begins anew, instead of running backwards. */}
        <span key={phase} style={isCounted ? { width: `${(100 * done) / total}%` } : {}} />
      </div>
      <p className="import-state" aria-hidden="true">
        {words}
      </p>
    </div>
  );
}
