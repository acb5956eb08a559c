import {
  getWechatAccount,
  saveWechatAccount,
  testWechat,
  type WechatAccount,
  wechatAccountInput,
} from '@isotherm/contracts/wechat';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { SwitchField } from '../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { PasswordField, TextAreaField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { toast } from '../../shared/ui/toast.tsx';

const KEY = ['notifications', 'wechat'] as const;
const FIELDS =
  '{"thing1": "{{asset}}", "thing2": "{{fault}}", "character_string3": "{{value}}", "time4": "{{time}}"}';
const FAULT_FIELDS = {
  'wechat.url': 'url',
  'wechat.template': 'templateZhCn',
  'wechat.fields': 'fields',
  'wechat.aes_key': 'aesKey',
  'wechat.secret_needed': 'secret',
};

/** Form of the WeChat official account of the installation. */
export function WechatForm({ onClose }: { onClose: () => void }) {
  const { data } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call(getWechatAccount, { signal }),
    // A form must start with the stored account, not with a cached one.
    gcTime: 0,
  });
  return data ? <AccountForm account={data.account} onClose={onClose} /> : null;
}

function AccountForm({ account, onClose }: { account: WechatAccount | null; onClose: () => void }) {
  const { text } = useText();
  const queries = useQueryClient();
  return (
    <FormDrawer
      title={text('wechat.account')}
      submitLabel={text('common.action.save')}
      schema={wechatAccountInput}
      initial={
        account ? initialOf(account) : { enabled: true, url: 'https://api.weixin.qq.com', fields: FIELDS }
      }
      submit={async (body) => {
        await call(saveWechatAccount, { body });
        await queries.invalidateQueries({ queryKey: KEY });
      }}
      success={text('wechat.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="appId" label={text('channels.app-id')} />
        <TextField name="url" label={text('channels.url')} inputMode="url" />
        <PasswordField
          name="secret"
          autoComplete="new-password"
          label={text('wechat.secret')}
          help={account ? text('channels.secret.keep') : undefined}
        />
        <SwitchField name="enabled" label={text('channels.enabled')} />
      </FormSection>
      <FormSection title={text('wechat.callbacks')}>
        <p className="form-wide secondary">
          {account?.callbackUrl
            ? text('wechat.callbacks.address', { url: account.callbackUrl })
            : text('wechat.callbacks.none')}
        </p>
        <PasswordField
          name="token"
          autoComplete="new-password"
          label={text('wechat.token')}
          help={text('wechat.token.help')}
        />
        <PasswordField
          name="aesKey"
          autoComplete="new-password"
          label={text('wechat.aes-key')}
          help={text('wechat.aes-key.help')}
        />
      </FormSection>
      <FormSection title={text('wechat.templates')}>
        <TextField name="templateZhCn" label={text('channels.template.zh-cn')} />
        <TextField name="templateZhTw" label={text('channels.template.zh-tw')} />
        <TextField name="templateEn" label={text('channels.template.en')} />
        <TextField name="templateEs" label={text('channels.template.es')} />
        <TextAreaField name="fields" label={text('wechat.fields')} help={text('wechat.fields.help')} />
      </FormSection>
      {account ? <TestButton people={account.people} /> : null}
    </FormDrawer>
  );
}

function TestButton({ people }: { people: number }) {
  const { text } = useText();
  async function test() {
    const { outcome, error } = await call(testWechat);
    toast(outcome === 'sent' ? 'success' : 'failure', text('wechat.test.outcome', { outcome, error }));
  }
  return (
    <FormSection title={text('wechat.people', { count: people })}>
      <Button onClick={() => void test()}>{text('wechat.test')}</Button>
    </FormSection>
  );
}

const initialOf = ({
  hasAesKey: _,
  callbackUrl: __,
  people: ___,
  changedBy: ____,
  changedAt: _____,
  ...fields
}: WechatAccount) => ({ ...fields, secret: '', token: '', aesKey: '' });
