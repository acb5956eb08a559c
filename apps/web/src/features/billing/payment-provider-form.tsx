import '../../shared/ui/secret.css';
import { type PaymentProviderView, paymentProviderInput } from '@isotherm/contracts/payment-providers';
import {
  PAYMENT_PROVIDER_KINDS,
  PAYMENT_URLS,
  type PaymentProviderKind,
} from '@isotherm/domain/billing/payment-provider';
import { useEffect } from 'react';
import { useText } from '../../shared/i18n/use-text.ts';
import { SelectField, SwitchField } from '../../shared/ui/form/choice-fields.tsx';
import { useFormContext } from '../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { PasswordField, TextAreaField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { usePaymentProviderChanges } from './payment-providers.queries.ts';

const FAULT_FIELDS = {
  'payment_provider.taken': 'name',
  'payment_provider.url': 'url',
  'payment_provider.secret_needed': 'secret',
  'payment_provider.key': 'secret',
  'payment_provider.used': 'kind',
};

/** Initial values of the form for a stored merchant account; its secrets are not known. */
function initialOf(provider: PaymentProviderView) {
  const fields = Object.keys(paymentProviderInput.shape) as (keyof typeof provider)[];
  const values = Object.fromEntries(fields.map((field) => [field, provider[field]]));
  return { ...values, secret: '', callbackSecret: '' };
}

/** Form of a merchant account; a new one if there is none. */
export function PaymentProviderForm({
  provider,
  onClose,
}: {
  provider: PaymentProviderView | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = usePaymentProviderChanges();
  return (
    <FormDrawer
      title={text(provider ? 'payments.edit.title' : 'payments.create')}
      submitLabel={text(provider ? 'common.action.save' : 'payments.create')}
      schema={paymentProviderInput}
      initial={provider ? initialOf(provider) : { kind: 'alipay', enabled: true, url: PAYMENT_URLS.alipay }}
      submit={(values) => (provider ? changes.edit(provider.id, values) : changes.create(values))}
      success={text('payments.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="name" label={text('payments.name')} help={text('payments.name.help')} />
        <SelectField
          name="kind"
          label={text('payments.kind')}
          disabled={provider !== undefined}
          options={PAYMENT_PROVIDER_KINDS.map((value) => ({ value, label: text(`payments.kind.${value}`) }))}
        />
        <SwitchField name="enabled" label={text('payments.enabled')} />
        <UrlField />
      </FormSection>
      <KindFields isStored={provider !== undefined} />
      {provider ? <CallbackAddress provider={provider} /> : null}
    </FormDrawer>
  );
}

/** Address of the API. The usual one of another kind is replaced, so that no credentials are sent to it. */
function UrlField() {
  const { text } = useText();
  const { values, set } = useFormContext();
  const kind = kindOf(values.kind);
  const url = PAYMENT_URLS[kind];
  const isOfOther = PAYMENT_PROVIDER_KINDS.some((each) => each !== kind && PAYMENT_URLS[each] === values.url);
  useEffect(() => {
    if (isOfOther) set('url', url);
  }, [isOfOther, set, url]);
  return (
    <TextField
      name="url"
      wide
      inputMode="url"
      label={text('payments.url')}
      help={text('payments.url.usual', { url })}
    />
  );
}

/** Keys of the chosen kind of provider. */
function KindFields({ isStored }: { isStored: boolean }) {
  const { text } = useText();
  const kind = kindOf(useFormContext().values.kind);
  const keep = isStored ? { help: text('payments.secret.keep') } : {};
  return (
    <FormSection title={text(`payments.kind.${kind}`)}>
      {kind === 'stripe' ? null : <TextField name="appId" label={text('payments.app-id')} />}
      {kind === 'wechat' ? (
        <>
          <TextField name="merchantId" label={text('payments.merchant-id')} />
          <TextField name="serial" label={text('payments.serial')} />
        </>
      ) : null}
      <PasswordField
        name="secret"
        autoComplete="new-password"
        label={text(`payments.secret.${kind}`)}
        {...keep}
      />
      {kind === 'alipay' ? null : (
        <PasswordField
          name="callbackSecret"
          autoComplete="new-password"
          label={text(`payments.callback-secret.${kind}`)}
          {...keep}
        />
      )}
      {kind === 'wechat' ? (
        <TextField
          name="publicKeyId"
          label={text('payments.public-key-id')}
          help={text('payments.public-key-id.help')}
        />
      ) : null}
      {kind === 'stripe' ? null : <TextAreaField name="publicKey" label={text('payments.public-key')} />}
    </FormSection>
  );
}

/** Where the provider reports payments. Alipay and WeChat Pay are told with each order. */
function CallbackAddress({ provider: { kind, callbackUrl } }: { provider: PaymentProviderView }) {
  const { text } = useText();
  return (
    <FormSection title={text('payments.callback-url')}>
      {callbackUrl ? (
        <section aria-label={text('payments.callback-url')}>
          {kind === 'stripe' ? <p className="small secondary">{text('payments.callback-url.help')}</p> : null}
          <div className="secret">
            <pre>{callbackUrl}</pre>
          </div>
        </section>
      ) : (
        <p className="form-fault">{text('payments.callback-url.none')}</p>
      )}
    </FormSection>
  );
}

/** The chosen kind; the first one until it is chosen. */
const kindOf = (value: unknown): PaymentProviderKind =>
  PAYMENT_PROVIDER_KINDS.find((kind) => kind === value) ?? PAYMENT_PROVIDER_KINDS[0];
