import { sheetExport, type textExport } from '@isotherm/contracts/batches';
import { type job, orderListExport } from '@isotherm/contracts/jobs';
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

const isOrder = (route: OrderRoute | ExportRoute): route is OrderRoute => route.method === 'POST';

/** The values of the list's query that the query or body of the export also has. */
function knownOf(query: Record<string, string | number>, { shape }: z.ZodObject) {
  return Object.fromEntries(Object.entries(query).filter(([name]) => name in shape));
}

/** Button that orders the filtered rows as a file, with the list's own route for orders, or with `orderListExport`. */
export function OrderButton({
  route,
  query,
  total,
  title,
}: {
  route: OrderRoute | ExportRoute;
  query: Record<string, string | number>;
  total: number;
  title: string;
}) {
  const { text } = useText();
  const { order, isPending } = useOrder();
  function run() {
    if (isOrder(route)) return order(route, knownOf(query, route.body));
    const known = Object.entries(knownOf(query, route.query)).map(([name, value]) => [name, String(value)]);
    return order(orderListExport, { list: route.name, subject: title, query: Object.fromEntries(known) });
  }
  return (
    <PermissionButton
      permission={route.access}
      disabled={isPending || total === 0}
      onClick={() => void run()}
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
    const { fileName, content, rows, limited } = await call(route, { query: knownOf(query, route.query) });
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
