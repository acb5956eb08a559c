import '../../shared/ui/secret.css';
import { getReceiptAddress, type SmsProviderView, smsProviderInput } from '@isotherm/contracts/sms-providers';
import { PROVIDER_KINDS, type ProviderKind } from '@isotherm/domain/notifications/voice-provider';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { call } from '../../shared/api/client.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { SelectField, SwitchField } from '../../shared/ui/form/choice-fields.tsx';
import { useFormContext } from '../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { NumberField, PasswordField, TextAreaField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { PROVIDERS_KEY, useProviderChanges } from './providers.queries.ts';

/** Usual addresses of the APIs. */
const URLS: Readonly<Record<ProviderKind, string>> = {
  aliyun: 'https://dysmsapi.aliyuncs.com/',
  tencent: 'https://sms.tencentcloudapi.com/',
  twilio: 'https://api.twilio.com/',
  http: '',
  smpp: '',
  'aliyun-voice': 'https://dyvmsapi.aliyuncs.com/',
  'twilio-voice': 'https://api.twilio.com/',
};
const BODY = '{"to": "{{number}}", "text": "{{text}}", "id": "{{id}}"}';
const FAULT_FIELDS = {
  'sms_provider.taken': 'name',
  'sms_provider.url': 'url',
  'sms_provider.body': 'body',
  'sms_provider.aliyun': 'keyId',
  'sms_provider.aliyun_voice': 'keyId',
  'sms_provider.tencent': 'keyId',
  'sms_provider.twilio': 'keyId',
  'sms_provider.smpp': 'sender',
  'sms_provider.smpp_url': 'url',
  'sms_provider.secret_needed': 'secret',
  'sms_provider.sources': 'receiptSources',
};

/** Initial values of the form for a stored provider. */
function initialOf(provider: SmsProviderView) {
  const fields = Object.keys(smsProviderInput.shape) as (keyof typeof provider)[];
  return { ...Object.fromEntries(fields.map((field) => [field, provider[field]])), secret: '' };
}

/** Form of a provider; a new one if there is none. */
export function ProviderForm({
  provider,
  onClose,
}: {
  provider: SmsProviderView | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useProviderChanges();
  return (
    <FormDrawer
      title={text(provider ? 'channels.edit.title' : 'channels.create')}
      submitLabel={text(provider ? 'common.action.save' : 'channels.create')}
      schema={smsProviderInput}
      initial={
        provider
          ? initialOf(provider)
          : { kind: 'aliyun', enabled: true, priority: 1, ratePerSecond: 0, url: URLS.aliyun, body: BODY }
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
          options={PROVIDER_KINDS.map((value) => ({ value, label: text(`channels.kind.${value}`) }))}
        />
        <NumberField
          name="priority"
          step={1}
          label={text('channels.priority')}
          help={text('channels.priority.help')}
        />
        <NumberField
          name="ratePerSecond"
          step={1}
          label={text('channels.rate')}
          help={text('channels.rate.help')}
        />
        <SwitchField name="enabled" label={text('channels.enabled')} />
        <UrlField />
      </FormSection>
      <KindFields hasSecret={provider?.hasSecret === true} />
      <ReceiptFields provider={provider} />
    </FormDrawer>
  );
}

/** Address of the API. The usual one of another kind is replaced, so that no credentials are sent to it. */
function UrlField() {
  const { text } = useText();
  const { values, set } = useFormContext();
  const kind = kindOf(values.kind);
  const url = URLS[kind];
  const entered = values.url;
  const isOfOther = PROVIDER_KINDS.some(
    (each) => each !== kind && URLS[each] !== '' && URLS[each] === entered,
  );
  useEffect(() => {
    if (isOfOther) set('url', url);
  }, [isOfOther, set, url]);
  return (
    <TextField
      name="url"
      wide
      inputMode="url"
      label={text('channels.url')}
      {...(kind === 'smpp' ? { help: text('channels.url.smpp') } : {})}
      {...(url === '' ? {} : { help: text('channels.url.usual', { url }) })}
    />
  );
}

/** Fields of the chosen kind of provider. */
function KindFields({ hasSecret }: { hasSecret: boolean }) {
  const { text } = useText();
  const kind = kindOf(useFormContext().values.kind);
  const secret = (
    <PasswordField
      name="secret"
      autoComplete="new-password"
      label={text(`channels.secret.${kind}`)}
      {...(hasSecret ? { help: text('channels.secret.keep') } : {})}
    />
  );
  const hasTemplates = kind === 'aliyun' || kind === 'tencent' || kind === 'aliyun-voice';
  return (
    <FormSection title={text(`channels.kind.${kind}`)}>
      {kind === 'http' ? null : <TextField name="keyId" label={text(`channels.key-id.${kind}`)} />}
      {secret}
      {kind === 'tencent' ? (
        <>
          <TextField name="appId" label={text('channels.app-id')} />
          <TextField name="region" label={text('channels.region')} placeholder="ap-guangzhou" />
        </>
      ) : null}
      {kind === 'smpp' ? (
        <>
          <TextField name="sender" label={text('channels.sender')} help={text('channels.sender.smpp.help')} />
          <TextField
            name="appId"
            label={text('channels.system-type')}
            help={text('channels.system-type.help')}
          />
        </>
      ) : null}
      {kind === 'twilio' ? (
        <TextField name="sender" label={text('channels.sender')} help={text('channels.sender.help')} />
      ) : null}
      {kind === 'aliyun-voice' || kind === 'twilio-voice' ? (
        <TextField
          name="sender"
          label={text('channels.sender.voice')}
          help={text(
            kind === 'aliyun-voice' ? 'channels.sender.voice.aliyun' : 'channels.sender.voice.twilio',
          )}
        />
      ) : null}
      {hasTemplates ? <TemplateFields kind={kind} /> : null}
      {kind === 'http' ? <HttpFields /> : null}
    </FormSection>
  );
}

/** The chosen kind; the first one until it is chosen. */
const kindOf = (value: unknown): ProviderKind =>
  PROVIDER_KINDS.find((kind) => kind === value) ?? PROVIDER_KINDS[0];

function TemplateFields({ kind }: { kind: 'aliyun' | 'tencent' | 'aliyun-voice' }) {
  const { text } = useText();
  return (
    <>
      {kind === 'aliyun-voice' ? null : <TextField name="signName" label={text('channels.sign-name')} />}
      <TextField
        name="templateZhCn"
        label={text('channels.template.zh-cn')}
        help={text(kind === 'tencent' ? 'channels.template.help-numbered' : 'channels.template.help')}
      />
      <TextField name="templateZhTw" label={text('channels.template.zh-tw')} />
      <TextField name="templateEn" label={text('channels.template.en')} />
      <TextField name="templateEs" label={text('channels.template.es')} />
    </>
  );
}

function HttpFields() {
  const { text } = useText();
  return (
    <>
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
    </>
  );
}

/** Where delivery receipts may come from, and the address for providers that cannot sign them. */
function ReceiptFields({ provider }: { provider: SmsProviderView | undefined }) {
  const { text } = useText();
  const kind = kindOf(useFormContext().values.kind);
  const isAliyun = kind === 'aliyun' || kind === 'aliyun-voice';
  const id = provider?.id;
  const { data } = useQuery({
    queryKey: [...PROVIDERS_KEY, 'receipt-address', id],
    queryFn: ({ signal }) => call(getReceiptAddress, { params: { id: id ?? 0 }, signal, quiet: true }),
    enabled: isAliyun && id !== undefined,
  });
  if (!isAliyun && !kind.startsWith('twilio')) return null;
  return (
    <FormSection title={text('channels.receipts')}>
      <TextField
        name="receiptSources"
        wide
        label={text('channels.receipt-sources')}
        help={text('channels.receipt-sources.help')}
      />
      {isAliyun && data?.url ? (
        <section aria-label={text('channels.receipt-address')}>
          <p className="small strong">{text('channels.receipt-address')}</p>
          <p className="small secondary">{text('channels.receipt-address.help')}</p>
          <div className="secret">
            <pre>{data.url}</pre>
          </div>
        </section>
      ) : null}
    </FormSection>
  );
}
