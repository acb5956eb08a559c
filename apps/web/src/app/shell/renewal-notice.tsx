import { getRenewalNotice, readRenewalNotice } from '@isotherm/contracts/renewal';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import Modal from 'antd/es/modal';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import type { MenuPage } from '../../features/settings/menu.ts';
import { call } from '../../shared/api/client.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { toast } from '../../shared/ui/toast.tsx';

const noticeQuery = {
  queryKey: ['identity', 'renewal-notice'],
  queryFn: ({ signal }: { signal: AbortSignal }) => call(getRenewalNotice, { signal, quiet: true }),
  staleTime: Number.POSITIVE_INFINITY,
  refetchOnWindowFocus: false,
} as const;

const EXPIRED_PAGE = 'device/expired';
const REMINDER_PAGE = 'recharge/reminders';

/**
 * Notice that the subscription must be renewed. The server decides whether it appears; confirming marks it
 * as read (requirements §4).
 */
export function RenewalNotice({ pages }: { pages: readonly MenuPage[] }) {
  const { text } = useText();
  const queries = useQueryClient();
  const { data, error } = useQuery(noticeQuery);
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    if (error) toast('failure', text('shell.renewal.failed'));
  }, [error, text]);
  if (!data?.IsShow) return null;

  async function confirm() {
    setBusy(true);
    try {
      await call(readRenewalNotice);
      queries.setQueryData(noticeQuery.queryKey, { IsShow: false, DeviceExpiredNum: 0 });
    } catch {
      // The error appears as a toast; the notice stays open.
      setBusy(false);
    }
  }

  const links = [
    { path: EXPIRED_PAGE, label: text('shell.renewal.expired-link') },
    { path: REMINDER_PAGE, label: text('shell.renewal.reminder-link') },
  ].filter(({ path }) => pages.some(({ route }) => route.path === path));
  return (
    <Modal
      open
      title={text('shell.renewal.title')}
      okText={text('shell.renewal.confirm')}
      cancelButtonProps={{ style: { display: 'none' } }}
      confirmLoading={busy}
      onOk={() => void confirm()}
      onCancel={() => void confirm()}
    >
      <p>{text('shell.renewal.body', { count: data.DeviceExpiredNum })}</p>
      {links.length > 0 ? (
        <p className="row">
          {links.map(({ path, label }) => (
            <Link key={path} to={`/${path}`} onClick={() => void confirm()}>
              {label}
            </Link>
          ))}
        </p>
      ) : null}
    </Modal>
  );
}
