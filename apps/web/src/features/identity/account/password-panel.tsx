import { changedPassword } from '@isotherm/contracts/fields';
import { useState } from 'react';
import { z } from 'zod';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { StrengthMeter } from '../../../shared/ui/form/strength-meter.tsx';
import { PasswordField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { replacePassword } from '../log-in.ts';

/**
 * Rules of requirements §5: a password has at least 6 characters, the new password differs from the old one,
 * and the confirmation matches.
 */
const passwordForm = z
  .strictObject({ oldPassword: z.string().min(1), newPassword: changedPassword, again: z.string().min(1) })
  .refine((form) => form.newPassword !== form.oldPassword, {
    path: ['newPassword'],
    error: 'same-as-password',
  })
  .refine((form) => form.again === form.newPassword, { path: ['again'], error: 'differs' });

const FAULT_FIELDS = { 'password.wrong': 'oldPassword', 'password.same': 'newPassword' };

export function PasswordPanel({ own }: { own: readonly string[] }) {
  const { text } = useText();
  // Number of successful changes; a new number clears the fields.
  const [round, setRound] = useState(0);
  return (
    <section className="panel account-panel">
      <h2>{text('account.password')}</h2>
      <p className="secondary">{text('account.password.means')}</p>
      <FormPanel
        key={round}
        schema={passwordForm}
        initial={{}}
        submitLabel={text('account.password.submit')}
        submit={({ oldPassword, newPassword }) => replacePassword(oldPassword, newPassword)}
        faultFields={FAULT_FIELDS}
        onDone={() => {
          toast('success', text('account.password.done'));
          setRound(round + 1);
        }}
      >
        <PasswordField
          name="oldPassword"
          label={text('account.password.old')}
          autoComplete="current-password"
          wide
        />
        <PasswordField
          name="newPassword"
          label={text('account.password.new')}
          autoComplete="new-password"
          meter={(password) => <StrengthMeter password={password} own={own} />}
        />
        <PasswordField name="again" label={text('account.password.again')} autoComplete="new-password" />
      </FormPanel>
    </section>
  );
}
