import { listSmsProviders, type SmsProviderView, testSmsProvider } from '@isotherm/contracts/sms-providers';
import { PUSH_SERVICES } from '@isotherm/domain/notifications/mobile-push';
import { channelOfProvider } from '@isotherm/domain/notifications/voice-provider';
import { useMemo, useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../shared/ui/form/text-fields.tsx';
import { rowsOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { ProviderForm } from './provider-form.tsx';
import { PROVIDERS_KEY, useProviderChanges } from './providers.queries.ts';
import { PushServiceForm } from './push-service-form.tsx';
import { WechatForm } from './wechat-form.tsx';

const source = rowsOf<SmsProviderView>(listSmsProviders, {
  access: 'management-channels:view',
  matches: ({ name, url }, search) => `${name} ${url}`.toLowerCase().includes(search),
  compare: {
    priority: (a, b) => Number(b.enabled) - Number(a.enabled) || a.priority - b.priority || a.id - b.id,
    name: (a, b) => a.name.localeCompare(b.name),
  },
});

function columnsFor({ text, time }: Viewer): ListColumn<SmsProviderView>[] {
  return [
    {
      key: 'priority',
      title: text('channels.priority'),
      sortable: true,
      align: 'end',
      render: ({ priority }) => <span className="number">{priority}</span>,
    },
    {
      key: 'name',
      title: text('channels.name'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: ({ name }) => name,
    },
    {
      key: 'channel',
      title: text('channels.channel'),
      render: ({ kind }) => text(`channels.channel.${channelOfProvider(kind)}`),
    },
    { key: 'kind', title: text('channels.kind'), render: ({ kind }) => text(`channels.kind.${kind}`) },
    {
      key: 'enabled',
      title: text('channels.state'),
      render: ({ enabled, circuit, circuitUntil }) => (
        <span className={circuit === 'closed' || !enabled ? 'tag' : 'tag strong'}>
          {!enabled
            ? text('channels.state.disabled')
            : circuit === 'closed'
              ? text('channels.state.enabled')
              : circuit === 'half-open'
                ? text('channels.state.half-open')
                : text('channels.state.open', {
                    time: circuitUntil ? time(circuitUntil, 'time-seconds') : '',
                  })}
        </span>
      ),
    },
    {
      key: 'health',
      title: text('channels.health'),
      maxWidth: 320,
      render: (provider) => <span className="secondary">{healthText(provider, { text, time })}</span>,
    },
    { key: 'url', title: text('channels.url'), maxWidth: 320, render: ({ url }) => <code>{url}</code> },
    {
      key: 'secret',
      title: text('channels.secret'),
      render: ({ hasSecret }) => (
        <span className="secondary">
          {text(hasSecret ? 'channels.secret.stored' : 'channels.secret.none')}
        </span>
      ),
    },
    {
      key: 'changedAt',
      title: text('channels.changed'),
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** The last result of a provider in words: its last error if it came after the last success. */
function healthText(
  { failures, lastError, lastErrorAt, lastSuccessAt }: SmsProviderView,
  { text, time }: Pick<Viewer, 'text' | 'time'>,
): string {
  if (lastErrorAt !== null && (lastSuccessAt === null || lastErrorAt > lastSuccessAt || failures > 0))
    return text('channels.health.error', {
      time: time(lastErrorAt, 'day-time'),
      count: failures,
      error: lastError,
    });
  if (lastSuccessAt === null) return text('channels.health.unused');
  return text('channels.health.success', { time: time(lastSuccessAt, 'day-time') });
}

/** List of the providers that deliver SMS and calls, in the order in which they are tried. */
export default function ManagementChannelsPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useProviderChanges();
  const [params, change] = useUrlState();
  const [tested, setTested] = useState<SmsProviderView | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const pushService = PUSH_SERVICES.find((service) => service === params.get('push'));
  return (
    <>
      <RecordList
        name="management-channels"
        title={text('menu.management-channels')}
        purpose={text('channels.purpose')}
        permission="management-channels:edit"
        param="provider"
        source={source}
        queryKey={PROVIDERS_KEY}
        columns={columns}
        nameOf={({ name }) => name}
        searchLabel={text('channels.search')}
        defaultSort={{ sort: 'priority', order: 'asc' }}
        words={{
          create: text('channels.create'),
          edit: text('channels.edit'),
          remove: text('channels.delete'),
        }}
        moreActions={
          <>
            {PUSH_SERVICES.map((service) => (
              <PermissionButton
                key={service}
                permission="management-channels:edit"
                onClick={() => change({ push: service }, 'push')}
              >
                {text(`push-services.${service}`)}
              </PermissionButton>
            ))}
            <PermissionButton
              permission="management-channels:edit"
              onClick={() => change({ wechat: 1 }, 'push')}
            >
              {text('wechat.account')}
            </PermissionButton>
          </>
        }
        moreRowActions={(item) => [
          { key: 'test', label: text('channels.test'), onClick: () => setTested(item) },
        ]}
        empty={{ title: text('channels.empty'), reason: text('channels.empty-reason') }}
        form={(provider, close) => <ProviderForm provider={provider} onClose={close} />}
        removal={{
          title: (name) => text('channels.delete.title', { name }),
          means: () => text('channels.delete.means'),
          done: (name) => text('channels.deleted', { name }),
          run: ({ id }, reason) => changes.remove(id, reason),
        }}
      />
      {pushService ? <PushServiceForm service={pushService} onClose={() => change({ push: null })} /> : null}
      {params.get('wechat') ? <WechatForm onClose={() => change({ wechat: null })} /> : null}
      {tested ? <TestForm provider={tested} onClose={() => setTested(null)} /> : null}
    </>
  );
}

function TestForm({ provider, onClose }: { provider: SmsProviderView; onClose: () => void }) {
  const { text } = useText();
  return (
    <FormDrawer
      title={text('channels.test.title', { name: provider.name })}
      submitLabel={text('channels.test')}
      schema={testSmsProvider.body}
      initial={{}}
      submit={async (body) => {
        const { outcome, detail } = await call(testSmsProvider, {
          params: { id: provider.id },
          body,
          quiet: true,
        });
        const said = text(`channels.test.${outcome}`, { detail });
        toast(outcome === 'sent' ? 'success' : 'failure', said);
      }}
      onClose={onClose}
    >
      <FormSection>
        <TextField
          name="mobile"
          wide
          inputMode="tel"
          label={text('channels.test.mobile')}
          help={text('channels.test.mobile.help')}
        />
      </FormSection>
    </FormDrawer>
  );
}
