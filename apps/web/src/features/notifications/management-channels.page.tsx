import {
  createSmsProvider,
  deleteSmsProvider,
  editSmsProvider,
  listSmsProviders,
  type SmsProviderView,
  smsProviderInput,
  testSmsProvider,
} from '@isotherm/contracts/sms-providers';
import { SMS_PROVIDER_KINDS } from '@isotherm/domain/notifications/sms-provider';
import { useMemo, useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { crudChanges } from '../../shared/api/crud-changes.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { SelectField, SwitchField } from '../../shared/ui/form/choice-fields.tsx';
import { useFormContext } from '../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { NumberField, PasswordField, TextAreaField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { rowsOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { toast } from '../../shared/ui/toast.tsx';

const KEY = ['notifications', 'sms-providers'] as const;
const ALIYUN_URL = 'https://dysmsapi.aliyuncs.com/';
const BODY = '{"to": "{{number}}", "text": "{{text}}", "id": "{{id}}"}';
const source = rowsOf<SmsProviderView>(listSmsProviders, {
  access: 'management-channels:view',
  matches: ({ name, url }, search) => `${name} ${url}`.toLowerCase().includes(search),
  compare: {
    priority: (a, b) => Number(b.enabled) - Number(a.enabled) || a.priority - b.priority || a.id - b.id,
    name: (a, b) => a.name.localeCompare(b.name),
  },
});
const useChanges = crudChanges(KEY, {
  create: createSmsProvider,
  edit: editSmsProvider,
  remove: deleteSmsProvider,
});
const FAULT_FIELDS = {
  'sms_provider.taken': 'name',
  'sms_provider.url': 'url',
  'sms_provider.body': 'body',
  'sms_provider.aliyun': 'keyId',
  'sms_provider.secret_needed': 'secret',
};

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
    { key: 'kind', title: text('channels.kind'), render: ({ kind }) => text(`channels.kind.${kind}`) },
    {
      key: 'enabled',
      title: text('channels.state'),
      render: ({ enabled }) => (
        <span className="tag">{text(enabled ? 'channels.state.enabled' : 'channels.state.disabled')}</span>
      ),
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

/** List of the providers that deliver SMS, in the order in which they are tried. */
export default function ManagementChannelsPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useChanges();
  const [tested, setTested] = useState<SmsProviderView | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <>
      <RecordList
        name="management-channels"
        title={text('menu.management-channels')}
        purpose={text('channels.purpose')}
        permission="management-channels:edit"
        param="provider"
        source={source}
        queryKey={KEY}
        columns={columns}
        nameOf={({ name }) => name}
        searchLabel={text('channels.search')}
        defaultSort={{ sort: 'priority', order: 'asc' }}
        words={{
          create: text('channels.create'),
          edit: text('channels.edit'),
          remove: text('channels.delete'),
        }}
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
      {tested ? <TestForm provider={tested} onClose={() => setTested(null)} /> : null}
    </>
  );
}

/** Initial values of the form for a stored provider. */
function initialOf(provider: SmsProviderView) {
  const { id: _, hasSecret: __, changedBy: ___, changedAt: ____, ...fields } = provider;
  return { ...fields, secret: '' };
}

function ProviderForm({ provider, onClose }: { provider: SmsProviderView | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = useChanges();
  return (
    <FormDrawer
      title={text(provider ? 'channels.edit.title' : 'channels.create')}
      submitLabel={text(provider ? 'common.action.save' : 'channels.create')}
      schema={smsProviderInput}
      initial={
        provider
          ? initialOf(provider)
          : { kind: 'aliyun', enabled: true, priority: 1, url: ALIYUN_URL, body: BODY }
      }
      submit={(values) => (provider ? changes.edit(provider.id, values) : changes.create(values))}
      success={text('channels.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="name" label={text('channels.name')} />
        <SelectField
          name="kind"
          label={text('channels.kind')}
          options={SMS_PROVIDER_KINDS.map((value) => ({ value, label: text(`channels.kind.${value}`) }))}
        />
        <NumberField
          name="priority"
          step={1}
          label={text('channels.priority')}
          help={text('channels.priority.help')}
        />
        <SwitchField name="enabled" label={text('channels.enabled')} />
        <TextField name="url" wide inputMode="url" label={text('channels.url')} />
      </FormSection>
      <KindFields hasSecret={provider?.hasSecret === true} />
    </FormDrawer>
  );
}

/** Fields of the chosen kind of provider. */
function KindFields({ hasSecret }: { hasSecret: boolean }) {
  const { text } = useText();
  const isAliyun = useFormContext().values.kind === 'aliyun';
  const secret = (
    <PasswordField
      name="secret"
      autoComplete="new-password"
      label={text(isAliyun ? 'channels.secret.aliyun' : 'channels.secret.http')}
      {...(hasSecret ? { help: text('channels.secret.keep') } : {})}
    />
  );
  if (isAliyun)
    return (
      <FormSection title={text('channels.kind.aliyun')}>
        <TextField name="keyId" label={text('channels.key-id')} />
        {secret}
        <TextField name="signName" label={text('channels.sign-name')} />
        <TextField
          name="templateZhCn"
          label={text('channels.template.zh-cn')}
          help={text('channels.template.help')}
        />
        <TextField name="templateZhTw" label={text('channels.template.zh-tw')} />
        <TextField name="templateEn" label={text('channels.template.en')} />
        <TextField name="templateEs" label={text('channels.template.es')} />
      </FormSection>
    );
  return (
    <FormSection title={text('channels.kind.http')}>
      {secret}
      <TextAreaField
        name="body"
        label={text('channels.body')}
        help={text('channels.body.help', { placeholders: '{{number}}, {{text}}, {{id}}' })}
      />
      <TextField
        name="successPath"
        label={text('channels.success-path')}
        help={text('channels.success-path.help')}
      />
      <TextField name="successValue" label={text('channels.success-value')} />
      <TextField name="idPath" label={text('channels.id-path')} />
    </FormSection>
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
