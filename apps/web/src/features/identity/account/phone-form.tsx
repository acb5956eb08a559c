import { changeTelephone } from '@isotherm/contracts/account';
import { mobile as mobileRule } from '@isotherm/contracts/fields';
import { useState } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useFormContext } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { CodeField } from '../code-field.tsx';
import { secondsLeft } from '../use-code-sender.ts';
import { sendPhoneCode, useAccountChanges } from './account.queries.ts';

const FAULT_FIELDS = { 'code.wrong': 'code', 'code.expired': 'code' };

/** Form that changes the mobile number, which is verified by a code (requirements §7). */
export function PhoneForm({ mobile, onClose }: { mobile: string; onClose: () => void }) {
  const { text } = useText();
  const changes = useAccountChanges();
  return (
    <FormDrawer
      title={text('account.phone.title')}
      submitLabel={text('account.phone.submit')}
      schema={changeTelephone.body}
      initial={{ oldPhone: mobile }}
      submit={async (values) => {
        await changes.changePhone(values);
        toast('success', text('account.phone.done'));
      }}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        {mobile === '' ? null : <TextField name="oldPhone" label={text('account.phone.old')} disabled wide />}
        <TextField
          name="newPhone"
          label={text('account.phone.new')}
          inputMode="tel"
          autoComplete="tel"
          wide
        />
        <SendingCode />
      </FormSection>
    </FormDrawer>
  );
}

function SendingCode() {
  const { text } = useText();
  const { values } = useFormContext();
  const [fault, setFault] = useState('');
  const phone = String(values.newPhone ?? '');
  async function send(): Promise<number | null> {
    setFault('');
    if (!mobileRule.safeParse(phone).success) {
      setFault(text('account.phone.first'));
      return null;
    }
    try {
      return await sendPhoneCode(String(values.oldPhone ?? ''), phone);
    } catch (error) {
      const left = secondsLeft(error);
      if (left === null) setFault(error instanceof Error ? error.message : text('common.failure.unknown'));
      return left;
    }
  }
  return (
    <div className="form-field form-wide">
      <CodeField name="code" send={send} />
      <div role="alert">
        {fault ? (
          <div className="field-fault">
            <Icon name="info" small />
            {fault}
          </div>
        ) : null}
      </div>
    </div>
  );
}
