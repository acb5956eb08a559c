import {
  AUTHORIZATION_STATES,
  type Authorization,
  listAuthorizations,
} from '@isotherm/contracts/authorizations';
import { KEY_REMINDER_DAYS } from '@isotherm/domain/reminders/key-reminder';
import { daysBetween } from '@isotherm/domain/reminders/reminder';
import { useCallback, useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useTicking } from '../../../shared/format/now.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListView } from '../../../shared/ui/list/list-types.ts';
import { OneTimeSecret } from '../../../shared/ui/one-time-secret.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { AuthorizationForm } from './authorization-form.tsx';
import { AUTHORIZATIONS_KEY, useAuthorizationChanges } from './authorizations.queries.ts';

const source = pagesOf(listAuthorizations);
/**
 * Keys in these states can be revoked. An ended key is one of them, because it works again if its creator's
 * account is enabled again.
 */
const REVOCABLE: ReadonlySet<Authorization['state']> = new Set(['active', 'ended', 'waiting']);

/** The expiry of a key is emphasised from the day of its first reminder. */
const MARKED_DAYS = Math.max(...KEY_REMINDER_DAYS);

function columnsFor(
  { text, time }: Viewer,
  onRenew: (key: Authorization) => void,
): ListColumn<Authorization>[] {
  const moment = (at: string | null) => (at ? time(at, 'date-time') : EN_RULE);
  return [
    {
      key: 'name',
      title: text('authorizations.name'),
      sortable: true,
      pinned: true,
      render: (each) => each.name,
    },
    {
      key: 'state',
      title: text('authorizations.state'),
      render: (each) =>
        each.state === 'active' ? (
          <span className="secondary">{text('authorizations.state.active')}</span>
        ) : (
          <>
            <span className="tag">{text(`authorizations.state.${each.state}`)}</span>
            {each.endReason && (
              <span className="secondary"> {text(`authorizations.end-reason.${each.endReason}`)}</span>
            )}
          </>
        ),
    },
    {
      key: 'key',
      title: text('authorizations.key'),
      render: (each) => (each.keyPrefix ? <code>{each.keyPrefix}…</code> : EN_RULE),
    },
    {
      key: 'organization',
      title: text('authorizations.organization'),
      maxWidth: 240,
      render: (each) => <span className="secondary">{each.organizationName}</span>,
    },
    {
      key: 'permissions',
      title: text('authorizations.permissions'),
      align: 'end',
      render: (each) => <span title={each.permissions.join(', ')}>{each.permissions.length}</span>,
    },
    {
      key: 'lastUsedAt',
      title: text('authorizations.last-used'),
      sortable: true,
      firstOrder: 'desc',
      render: (each) =>
        each.lastUsedAt
          ? `${moment(each.lastUsedAt)} · ${each.lastUsedAddress}`
          : text('authorizations.never-used'),
    },
    {
      key: 'expiresAt',
      title: text('authorizations.expires'),
      render: (each) =>
        each.expiresAt ? (
          <>
            {time(each.expiresAt, 'date')}
            {each.state === 'active' ? <EndsIn at={each.expiresAt} onRenew={() => onRenew(each)} /> : null}
          </>
        ) : (
          text('authorizations.valid.days', { days: 0 })
        ),
    },
    {
      key: 'createdAt',
      title: text('authorizations.created'),
      sortable: true,
      firstOrder: 'desc',
      render: (each) => `${moment(each.createdAt)} · ${each.createdBy}`,
    },
    {
      key: 'revokedAt',
      title: text('authorizations.revoked'),
      offered: true,
      render: (each) => moment(each.revokedAt),
    },
  ];
}

/** Shows the number of days until a key expires, with a button to renew the key if few days are left. */
function EndsIn({ at, onRenew }: { at: string; onRenew: () => void }) {
  const { text } = useViewer();
  const days = useTicking((now) => daysBetween(dayOf(now), dayOf(Date.parse(at))));
  const words = text('authorizations.ends-in', { days });
  if (days > MARKED_DAYS) return <span className="secondary"> {words}</span>;
  return (
    <>
      {' '}
      <span className="tag">{words}</span>{' '}
      <PermissionButton permission="management-authorizations:create" variant="link" onClick={onRenew}>
        {text('authorizations.renew')}
      </PermissionButton>
    </>
  );
}

/** Returns the UTC date of a time. */
const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/** Page of the API keys and authorization codes of an organisation. */
export default function AuthorizationList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useAuthorizationChanges();
  const mayRevoke = usePermission('management-authorizations:revoke');
  const mayRenew = usePermission('management-authorizations:create');
  const [made, setMade] = useState<{ name: string; kind: 'key' | 'code'; secret: string } | null>(null);
  const [doomed, setDoomed] = useState<Authorization | null>(null);
  const renew = useCallback(
    async ({ id, name, validDays }: Authorization) => {
      try {
        await changes.renew(id);
        toast('success', text('authorizations.renew.done', { name, days: validDays ?? 0 }));
      } catch (error) {
        toast('failure', (error as Error).message);
      }
    },
    [changes, text],
  );
  const columns = useMemo(() => columnsFor(viewer, (key) => void renew(key)), [viewer, renew]);
  const views = useMemo<ListView[]>(
    () => [
      { key: 'all', label: text('authorizations.view.all'), query: {} },
      ...AUTHORIZATION_STATES.map((state) => ({
        key: state,
        label: text(`authorizations.state.${state}`),
        query: { state },
      })),
    ],
    [text],
  );
  const addButton = (
    <PermissionButton
      permission="management-authorizations:create"
      variant="primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('authorizations.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name="management-authorizations"
        title={text('menu.management-authorizations')}
        purpose={text('authorizations.purpose')}
        source={source}
        queryKey={AUTHORIZATIONS_KEY}
        columns={columns}
        rowKey={(each) => each.id}
        rowName={(each) => each.name}
        searchLabel={text('authorizations.search')}
        defaultSort={{ sort: 'createdAt', order: 'desc' }}
        views={views}
        actions={addButton}
        rowActions={(each) => [
          ...(mayRenew && each.state === 'active' && each.validDays !== null
            ? [{ key: 'renew', label: text('authorizations.renew'), onClick: () => void renew(each) }]
            : []),
          ...(mayRevoke && REVOCABLE.has(each.state)
            ? [
                {
                  key: 'revoke',
                  danger: true,
                  label: text('authorizations.revoke'),
                  onClick: () => setDoomed(each),
                },
              ]
            : []),
        ]}
        empty={{ title: text('authorizations.empty.title'), reason: text('authorizations.empty.reason') }}
      />
      {params.get('new') ? (
        <AuthorizationForm onMade={setMade} onClose={() => change({ new: null })} />
      ) : null}
      {made ? (
        <OneTimeSecret
          title={text(`authorizations.secret.${made.kind}`, { name: made.name })}
          secret={made.secret}
          onClose={() => setMade(null)}
        >
          {text(`authorizations.secret-means.${made.kind}`)}
        </OneTimeSecret>
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('authorizations.revoke.title', { name: doomed.name })}
          confirmLabel={text('authorizations.revoke')}
          onConfirm={async (reason) => {
            await changes.revoke(doomed.id, reason);
            toast('success', text('authorizations.revoke.done', { name: doomed.name }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('authorizations.revoke.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
