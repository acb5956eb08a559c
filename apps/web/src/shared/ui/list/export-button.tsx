import { sheetExport, type textExport } from '@isotherm/contracts/batches';
import type { job } from '@isotherm/contracts/jobs';
import type { RouteContract } from '@isotherm/contracts/route';
import { useState } from 'react';
import type { z } from 'zod';
import { call } from '../../api/client.ts';
import { useText } from '../../i18n/use-text.ts';
import { useOrder } from '../../jobs/jobs.queries.ts';
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

/** Contract of a route that orders the filtered rows as a job (shared/jobs). Its body is the query of the list. */
export type OrderRoute = RouteContract<z.ZodType, z.ZodType, z.ZodObject, typeof job>;

/** Button that orders the filtered rows as a file. */
export function OrderButton({
  route,
  query,
  total,
}: {
  route: OrderRoute;
  query: Record<string, string | number>;
  total: number;
}) {
  const { text } = useText();
  const { order, isPending } = useOrder();
  const known = Object.fromEntries(Object.entries(query).filter(([name]) => name in route.body.shape));
  return (
    <PermissionButton
      permission={route.access}
      disabled={isPending || total === 0}
      onClick={() => void order(route, known)}
    >
      <Icon name="download" />
      {text('common.action.export', { count: total })}
    </PermissionButton>
  );
}

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
