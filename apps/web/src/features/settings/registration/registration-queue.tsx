import { listRegistrations, REGISTRATION_STATES, type Registration } from '@isotherm/contracts/registration';
import { textId } from '@isotherm/i18n/text-id';
import { useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { ConfirmDialog, ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import { toast } from '../../../shared/ui/toast.tsx';
import { QUEUE_KEY, useRegistrationChanges } from './registration.queries.ts';

const STATE_LABEL = {
  pending: 'settings.registration.pending',
  approved: 'settings.registration.approved',
  rejected: 'settings.registration.rejected',
} as const;

/** List of the applications for accounts with their results. */
export function RegistrationQueue() {
  const { text, time } = useViewer();
  const changes = useRegistrationChanges();
  const mayDecide = usePermission('setting-registration:approve');
  const [asked, setAsked] = useState<{ deed: 'approve' | 'reject'; who: Registration } | null>(null);
  const roleName = ({ role }: Registration) =>
    role.code ? text(textId(`roles.system.${role.code}`)) : role.name;
  const close = () => setAsked(null);
  return (
    <>
      <ListPage
        embedded
        name="registrations"
        title={text('settings.registration.queue')}
        purpose=""
        source={pagesOf(listRegistrations)}
        queryKey={QUEUE_KEY}
        rowKey={({ id }) => id}
        rowName={({ username }) => username}
        searchLabel={text('settings.registration.search')}
        defaultSort={{ sort: 'createdAt', order: 'desc' }}
        views={[
          { key: 'all', label: text('settings.registration.all'), query: {} },
          ...REGISTRATION_STATES.map((state) => ({
            key: state,
            label: text(STATE_LABEL[state]),
            query: { state },
          })),
        ]}
        counts={({ pending }) => ({ pending })}
        columns={[
          {
            key: 'username',
            title: text('login.account'),
            pinned: true,
            render: ({ username }) => username,
          },
          { key: 'realname', title: text('register.realname'), render: ({ realname }) => realname },
          {
            key: 'organizationName',
            title: text('login.setup.organization'),
            maxWidth: 240,
            render: ({ organizationName }) => organizationName,
          },
          { key: 'role', title: text('register.role'), render: roleName },
          { key: 'agentName', title: text('register.agent'), render: ({ agentName }) => agentName || '–' },
          {
            key: 'mobile',
            title: text('login.mobile'),
            render: ({ mobile }) => <bdi dir="ltr">{mobile}</bdi>,
          },
          {
            key: 'timeZone',
            title: text('register.time-zone'),
            offered: true,
            render: ({ timeZone }) => timeZone,
          },
          {
            key: 'createdAt',
            title: text('settings.registration.at'),
            render: ({ createdAt }) => <span className="number">{time(createdAt, 'date-time')}</span>,
          },
          {
            key: 'state',
            title: text('settings.registration.state'),
            render: (each) => (
              <span title={each.reason || undefined}>
                {text(STATE_LABEL[each.state])}
                {each.decidedBy ? <span className="small tertiary"> {each.decidedBy}</span> : null}
              </span>
            ),
          },
        ]}
        rowActions={(who) =>
          mayDecide && who.state === 'pending'
            ? [
                {
                  key: 'approve',
                  label: text('settings.registration.approve'),
                  onClick: () => setAsked({ deed: 'approve', who }),
                },
                {
                  key: 'reject',
                  label: text('settings.registration.reject'),
                  danger: true,
                  onClick: () => setAsked({ deed: 'reject', who }),
                },
              ]
            : []
        }
        empty={{
          title: text('settings.registration.none'),
          reason: text('settings.registration.none-reason'),
        }}
      />
      {asked?.deed === 'approve' ? (
        <ConfirmDialog
          title={text('settings.registration.approve-title', { name: asked.who.username })}
          confirmLabel={text('settings.registration.approve')}
          onClose={close}
          onConfirm={async () => {
            await changes.approve(asked.who.id);
            toast('success', text('settings.registration.approved-done', { name: asked.who.username }));
            close();
          }}
        >
          {text('settings.registration.approve-reason', {
            organization: asked.who.organizationName,
            role: roleName(asked.who),
          })}
        </ConfirmDialog>
      ) : null}
      {asked?.deed === 'reject' ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('settings.registration.reject-title', { name: asked.who.username })}
          confirmLabel={text('settings.registration.reject')}
          onClose={close}
          onConfirm={(reason) => changes.reject(asked.who.id, reason)}
        >
          {text('settings.registration.reject-reason')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
