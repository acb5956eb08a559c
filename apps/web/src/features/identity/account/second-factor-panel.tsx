import type { AccountInfo } from '@isotherm/contracts/account';
import { verificationCode } from '@isotherm/contracts/fields';
import Modal from 'antd/es/modal';
import { useState } from 'react';
import { z } from 'zod';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { PasswordField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { CopyButton, OneTimeSecret } from '../../../shared/ui/one-time-secret.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useAccountChanges } from './account.queries.ts';

type Step = 'begin' | 'renew' | 'end';

/** Secret of an authenticator app as text and QR code. */
interface Enrolment {
  secret: string;
  picture: string;
}

/** With fewer recovery codes than this, the page suggests generating new ones. */
const FEW_CODES = 3;

/** Panel of the second factor: authenticator app and recovery codes. */
export function SecondFactorPanel({ account }: { account: AccountInfo }) {
  const { text } = useText();
  const changes = useAccountChanges();
  const [step, setStep] = useState<Step | null>(null);
  const [enrolment, setEnrolment] = useState<Enrolment | null>(null);
  const [codes, setCodes] = useState<readonly string[] | null>(null);
  const close = () => setStep(null);
  return (
    <section className="panel account-panel">
      <h2>
        {text('users.second-factor')}{' '}
        <span className="tag">
          {text(account.secondFactor ? 'users.second-factor.on' : 'users.second-factor.off')}
        </span>
      </h2>
      <p className="secondary">{text('account.factor.means')}</p>
      {account.secondFactor ? (
        <>
          <p className={account.recoveryCodesLeft < FEW_CODES ? 'strong' : 'secondary'}>
            {text('account.factor.left', { count: account.recoveryCodesLeft })}
          </p>
          <div className="form-panel-foot">
            <Button onClick={() => setStep('renew')}>{text('account.factor.renew')}</Button>
            <Button disabled={account.secondFactorRequired} onClick={() => setStep('end')}>
              {text('account.factor.end')}
            </Button>
          </div>
          {account.secondFactorRequired ? (
            <p className="form-help">{text('account.factor.required')}</p>
          ) : null}
        </>
      ) : (
        <Button variant="primary" onClick={() => setStep('begin')}>
          {text('account.factor.begin')}
        </Button>
      )}
      {step === 'begin' ? (
        <PasswordDialog
          title={text('account.factor.begin')}
          means={text('account.factor.begin-means')}
          submitLabel={text('account.factor.go-on')}
          submit={async (password) => {
            const [{ secret, uri }, qr] = await Promise.all([
              changes.beginSecondFactor(password),
              import('qrcode'),
            ]);
            setEnrolment({ secret, picture: await qr.toDataURL(uri, { margin: 1, width: 320 }) });
          }}
          onClose={close}
        />
      ) : null}
      {enrolment ? (
        <EnrolDialog
          enrolment={enrolment}
          onClose={() => setEnrolment(null)}
          onDone={(fresh) => {
            setCodes(fresh);
            setEnrolment(null);
          }}
        />
      ) : null}
      {step === 'renew' ? (
        <PasswordDialog
          title={text('account.factor.renew')}
          means={text('account.factor.renew-means')}
          submitLabel={text('account.factor.renew')}
          submit={async (password) => {
            const { recoveryCodes } = await changes.renewRecoveryCodes(password);
            setCodes(recoveryCodes);
          }}
          onClose={close}
        />
      ) : null}
      {step === 'end' ? (
        <PasswordDialog
          title={text('account.factor.end')}
          means={text('account.factor.end-means')}
          submitLabel={text('account.factor.end')}
          submit={async (password) => {
            await changes.endSecondFactor(password);
            toast('success', text('account.factor.ended'));
          }}
          onClose={close}
        />
      ) : null}
      {codes ? (
        <OneTimeSecret
          title={text('account.factor.codes')}
          secret={codes.join('\n')}
          fileName="isotherm-recovery-codes.txt"
          onClose={() => setCodes(null)}
        >
          {text('account.factor.codes-mean')}
        </OneTimeSecret>
      ) : null}
    </section>
  );
}

const PASSWORD_FAULTS = { 'password.wrong': 'password' };
const CODE_FAULTS = { 'code.wrong': 'code', 'login.second_factor_wrong': 'code' };
const codeForm = z.strictObject({ code: verificationCode });
const passwordForm = z.strictObject({ password: z.string().min(1) });

function EnrolDialog({
  enrolment,
  onDone,
  onClose,
}: {
  enrolment: Enrolment;
  onDone: (recoveryCodes: readonly string[]) => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const { confirmSecondFactor } = useAccountChanges();
  return (
    <Modal
      open
      width={440}
      title={text('account.factor.begin')}
      rootClassName="confirm"
      onCancel={onClose}
      mask={{ closable: false }}
      footer={null}
    >
      <p className="confirm-body">{text('account.factor.scan')}</p>
      <div className="factor-secret">
        <img src={enrolment.picture} width={176} height={176} alt={text('account.factor.picture')} />
        <div>
          <p className="small secondary">{text('account.factor.by-hand')}</p>
          <code>{enrolment.secret.replace(/(.{4})(?=.)/g, '$1 ')}</code>
          <CopyButton value={enrolment.secret} />
        </div>
      </div>
      <FormPanel
        schema={codeForm}
        initial={{}}
        submitLabel={text('account.factor.confirm')}
        faultFields={CODE_FAULTS}
        submit={async ({ code }) => {
          const { recoveryCodes } = await confirmSecondFactor(code);
          onDone(recoveryCodes);
        }}
        onCancel={onClose}
      >
        <TextField
          name="code"
          label={text('account.factor.code')}
          inputMode="numeric"
          autoComplete="one-time-code"
          wide
        />
      </FormPanel>
    </Modal>
  );
}

function PasswordDialog({
  title,
  means,
  submitLabel,
  submit,
  onClose,
}: {
  title: string;
  means: string;
  submitLabel: string;
  submit: (password: string) => Promise<void>;
  onClose: () => void;
}) {
  const { text } = useText();
  return (
    <Modal open width={440} title={title} rootClassName="confirm" onCancel={onClose} footer={null}>
      <p className="confirm-body factor-means">{means}</p>
      <FormPanel
        schema={passwordForm}
        initial={{}}
        submitLabel={submitLabel}
        submit={({ password }) => submit(password)}
        faultFields={PASSWORD_FAULTS}
        onDone={onClose}
        onCancel={onClose}
      >
        <PasswordField
          name="password"
          label={text('account.password.own')}
          autoComplete="current-password"
          wide
        />
      </FormPanel>
    </Modal>
  );
}
