import { useState } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { Icon } from '../icon.tsx';
import { PermissionButton } from '../permission-button.tsx';

export interface Exporting {
  permission: string;
  /** Fetches and saves the file of what is filtered. */
  run: (query: Record<string, string | number>) => Promise<unknown>;
}

/** Exports what is filtered, and says beforehand how many rows that is. */
export function ExportButton({
  exporting,
  query,
  total,
}: {
  exporting: Exporting;
  query: Record<string, string | number>;
  total: number;
}) {
  const { text } = useText();
  const [busy, setBusy] = useState(false);
  async function run() {
    setBusy(true);
    // A failure is worded by the client.
    await exporting.run(query).catch(() => undefined);
    setBusy(false);
  }
  return (
    <PermissionButton
      permission={exporting.permission}
      className="button"
      disabled={busy || total === 0}
      aria-busy={busy}
      onClick={() => void run()}
    >
      <Icon name="download" />
      {busy ? text('common.exporting') : text('common.action.export', { count: total })}
    </PermissionButton>
  );
}
