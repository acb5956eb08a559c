import { type AccountInfo, editAccount } from '@isotherm/contracts/account';
import { useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Avatar } from '../../../shared/ui/avatar.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { useAccountChanges } from './account.queries.ts';
import { AvatarDialog } from './avatar-dialog.tsx';
import { PhoneForm } from './phone-form.tsx';

/** Tab for name, contact data and avatar. */
export function ProfileTab({ account }: { account: AccountInfo }) {
  const { text } = useText();
  const changes = useAccountChanges();
  const [params, change] = useUrlState();
  const [picturing, setPicturing] = useState(false);
  const { realname, mobile, landline, email, address, description } = account;
  return (
    <section className="panel account-panel">
      <div className="account-picture">
        <Avatar name={realname} image={account.avatar} />
        <Button onClick={() => setPicturing(true)}>{text('account.avatar.change')}</Button>
      </div>
      <FormPanel
        schema={editAccount.body}
        initial={{ realname, mobile, landline, email, address, description }}
        submitLabel={text('common.action.save')}
        submit={changes.edit}
        onDone={() => toast('success', text('account.saved'))}
      >
        <TextField name="realname" label={text('users.realname')} autoComplete="name" />
        <TextField
          name="mobile"
          label={text('users.mobile')}
          help={text('account.mobile.help')}
          disabled
          after={
            <Button variant="link" onClick={() => change({ phone: 1 }, 'push')}>
              {text(mobile === '' ? 'account.mobile.add' : 'account.mobile.change')}
            </Button>
          }
        />
        <TextField
          name="email"
          label={text('users.email')}
          inputMode="email"
          autoComplete="email"
          help={account.emailFails ? text('account.email-fails') : undefined}
        />
        <TextField name="landline" label={text('users.landline')} inputMode="tel" />
        <TextField name="address" label={text('users.address')} autoComplete="street-address" wide />
        <TextAreaField name="description" label={text('users.description')} />
      </FormPanel>
      {picturing ? <AvatarDialog onClose={() => setPicturing(false)} /> : null}
      {params.get('phone') ? <PhoneForm mobile={mobile} onClose={() => change({ phone: null })} /> : null}
    </section>
  );
}
