import { sheetExport, type textExport } from '@isotherm/contracts/batches';
import type { RouteContract } from '@isotherm/contracts/route';
import { useState } from 'react';
import type { z } from 'zod';
import { call } from '../../api/client.ts';
import { useText } from '../../i18n/use-text.ts';
import { Icon } from '../icon.tsx';
import { PermissionButton } from '../permission-button.tsx';
import { saveFile } from '../save-file.ts';
import { toast } from '../toast.tsx';

/**
 * Contract of a route that exports the filtered rows as a file. Its query is that of the list without
 * paging.
 */
export type ExportRoute = RouteContract<
  z.ZodType,
  z.ZodObject,
  z.ZodType,
  typeof sheetExport | typeof textExport
>;

/**
 * Button that exports the filtered rows. It shows their number before the export, and afterwards whether
 * some were left out.
 */
export function ExportButton({
  route,
  query,
  total,
}: {
  route: ExportRoute;
  query: Record<string, string | number>;
  total: number;
}) {
  const { text } = useText();
  const [busy, setBusy] = useState(false);
  async function save() {
    const known = Object.fromEntries(Object.entries(query).filter(([name]) => name in route.query.shape));
    const { fileName, content, rows, limited } = await call(route, { query: known });
    saveFile(fileName, content, route.response === sheetExport ? 'base64' : 'text');
    if (limited) toast('failure', text('common.export.limited', { rows }));
  }
  async function run() {
    setBusy(true);
    // The API client shows failures.
    await save().catch(() => undefined);
    setBusy(false);
  }
  return (
    <PermissionButton
      permission={route.access}
      disabled={busy || total === 0}
      aria-busy={busy}
      onClick={() => void run()}
    >
      <Icon name="download" />
      {busy ? text('common.exporting') : text('common.action.export', { count: total })}
    </PermissionButton>
  );
}
