import { changedPassword, mobile, verificationCode } from '@isotherm/contracts/fields';
import { forgetPassword, sendCode } from '@isotherm/contracts/verification';
import { z } from 'zod';
import { call } from '../../shared/api/client.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { encryptPasswords } from '../../shared/signature/encrypt-password.ts';
import { StrengthMeter } from '../../shared/ui/form/strength-meter.tsx';
import { PasswordField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { useForm } from '../../shared/ui/form/use-form.ts';
import { CodeField } from './code-field.tsx';
import { EntryForm } from './entry-form.tsx';
import { useCodeSender } from './use-code-sender.ts';

const schema = z
  .object({
    username: forgetPassword.body.shape.username,
    phone: mobile,
    code: verificationCode,
    password: changedPassword,
    again: z.string(),
  })
  .refine(({ password, again }) => password === again, { path: ['again'], error: 'differs' });

/**
 * Form that resets the password by a code to the account's mobile number (requirements §7,
 * `/auth/forgetpassword`).
 */
export function ForgotForm({
  username,
  onDone,
  onLeave,
}: {
  username: string;
  onDone: () => void;
  onLeave: () => void;
}) {
  const { text } = useText();
  const form = useForm({
    schema,
    initial: { username, phone: '', code: '', password: '', again: '' },
    async submit({ username: account, phone, code, password }) {
      const { ciphers, nonce } = await encryptPasswords(password);
      await call(forgetPassword, {
        quiet: true,
        body: { username: account, phone, code, password: ciphers[0] ?? '', serviceloginkey: nonce },
      });
    },
  });
  const sender = useCodeSender(form, (account, phone) =>
    call(sendCode, { quiet: true, body: { username: account, phone, actiontype: 'forgetpassword' } }),
  );
  return (
    <EntryForm
      form={form}
      title={text('login.forgot.title')}
      lead={text('login.forgot.lead')}
      submitLabel={text('login.forgot.submit')}
      onDone={onDone}
      back={{ label: text('login.back'), onClick: onLeave }}
    >
      <TextField name="username" label={text('login.account')} autoComplete="username" />
      <TextField name="phone" label={text('login.mobile')} inputMode="tel" autoComplete="tel" />
      <CodeField name="code" sent={text('login.code.sent')} send={sender} />
      <PasswordField
        name="password"
        label={text('login.change.new')}
        autoComplete="new-password"
        meter={(password) => <StrengthMeter password={password} own={[String(form.values.username ?? '')]} />}
      />
      <PasswordField name="again" label={text('login.change.again')} autoComplete="new-password" />
    </EntryForm>
  );
}
