import { registrationPassword } from '@isotherm/contracts/fields';
import { listRegistrationAgents, listRegistrationRoles, register } from '@isotherm/contracts/registration';
import type { ResponseOf } from '@isotherm/contracts/route';
import { currentZones } from '@isotherm/contracts/time-zones';
import { sendCode } from '@isotherm/contracts/verification';
import { textId } from '@isotherm/i18n/text-id';
import { useEffect, useMemo, useRef, useState } from 'react';
import { z } from 'zod';
import { call } from '../../shared/api/client.ts';
import { browserZone } from '../../shared/format/time.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { encryptPasswords } from '../../shared/signature/encrypt-password.ts';
import { FieldFrame, type FieldProps } from '../../shared/ui/form/field-frame.tsx';
import { useField } from '../../shared/ui/form/form-context.ts';
import { StrengthMeter } from '../../shared/ui/form/strength-meter.tsx';
import { PasswordField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { useForm } from '../../shared/ui/form/use-form.ts';
import { CodeField } from './code-field.tsx';
import { EntryForm } from './entry-form.tsx';
import { useCodeSender } from './use-code-sender.ts';

const { username, realname, organizationName, roleId, phone, code, timeZone } = register.body.shape;
const schema = z
  .object({
    username,
    realname,
    organizationName,
    roleId,
    agentId: z.string(),
    phone,
    code,
    timeZone,
    password: registrationPassword,
    again: z.string(),
  })
  .refine(({ password, again }) => password === again, { path: ['again'], error: 'differs' });

export type Approval = ResponseOf<typeof register>['approval'];

interface Choices {
  roles: ResponseOf<typeof listRegistrationRoles>;
  agents: ResponseOf<typeof listRegistrationAgents>;
}

/**
 * Returns the time zones to choose from, including the browser's own zone, which may be missing from its
 * list.
 */
function zonesToChoose(): string[] {
  return [...new Set([browserZone(), ...currentZones()])].sort();
}

/** Form that registers an account with an organisation of its own (requirements §2, §5). */
export function RegisterForm({
  onDone,
  onLeave,
}: {
  onDone: (approval: Approval) => void;
  onLeave: () => void;
}) {
  const { text } = useText();
  const [choices, setChoices] = useState<Choices>({ roles: [], agents: [] });
  const [failure, setFailure] = useState('');
  const approval = useRef<Approval>('pending');
  const zones = useMemo(zonesToChoose, []);
  const form = useForm({
    schema,
    initial: {
      username: '',
      realname: '',
      organizationName: '',
      agentId: '',
      phone: '',
      code: '',
      timeZone: browserZone(),
      password: '',
      again: '',
    },
    async submit({ password, again: _, ...rest }) {
      const { ciphers, nonce } = await encryptPasswords(password);
      const answer = await call(register, {
        quiet: true,
        body: { ...rest, password: ciphers[0] ?? '', serviceloginkey: nonce },
      });
      approval.current = answer.approval;
    },
  });
  const sender = useCodeSender(form, (account, number) =>
    call(sendCode, { quiet: true, body: { username: account, phone: number, actiontype: 'register' } }),
  );
  useEffect(() => {
    Promise.all([
      call(listRegistrationRoles, { quiet: true }),
      call(listRegistrationAgents, { quiet: true }),
    ]).then(
      ([roles, agents]) => setChoices({ roles, agents }),
      (error: unknown) => setFailure(error instanceof Error ? error.message : String(error)),
    );
  }, []);

  return (
    <EntryForm
      form={failure ? { ...form, failure } : form}
      title={text('register.title')}
      lead={text('register.lead')}
      submitLabel={text('register.submit')}
      onDone={() => onDone(approval.current)}
      back={{ label: text('login.back'), onClick: onLeave }}
    >
      <TextField
        name="username"
        label={text('login.account')}
        autoComplete="username"
        help={text('register.username-help')}
      />
      <TextField name="realname" label={text('register.realname')} autoComplete="name" />
      <TextField
        name="organizationName"
        label={text('login.setup.organization')}
        autoComplete="organization"
      />
      <PlainSelect
        name="roleId"
        label={text('register.role')}
        options={choices.roles.map(({ id, code: roleCode, name }) => ({
          value: id,
          label: roleCode ? text(textId(`register.role.${roleCode}`)) : name,
          ...(roleCode ? { about: text(textId(`register.role-about.${roleCode}`)) } : {}),
        }))}
      />
      {choices.agents.length > 0 ? (
        <PlainSelect
          name="agentId"
          label={text('register.agent')}
          help={text('register.agent-help')}
          options={choices.agents.map(({ id, name }) => ({ value: id, label: name }))}
        />
      ) : null}
      <PlainSelect
        name="timeZone"
        label={text('register.time-zone')}
        options={zones.map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))}
      />
      <TextField name="phone" label={text('login.mobile')} inputMode="tel" autoComplete="tel" />
      <CodeField name="code" send={sender} />
      <PasswordField
        name="password"
        label={text('login.password')}
        autoComplete="new-password"
        help={text('register.password-help')}
        meter={(password) => (
          <StrengthMeter
            password={password}
            own={[String(form.values.username ?? ''), String(form.values.phone ?? '')]}
          />
        )}
      />
      <PasswordField name="again" label={text('login.setup.again')} autoComplete="new-password" />
    </EntryForm>
  );
}

/** A native select is used, because the login program includes no components of the console. */
/** `about` of the selected option is shown below the field. */
function PlainSelect({
  options,
  ...props
}: FieldProps & { options: readonly { value: string | number; label: string; about?: string }[] }) {
  const { value, set, fault, required } = useField<string | number>(props.name);
  const about = options.find((option) => String(option.value) === String(value))?.about;
  return (
    <FieldFrame {...props} help={about ?? props.help} required={required} fault={fault}>
      {(control) => (
        <div className={fault ? 'field field-wrong' : 'field'}>
          <select {...control} value={value ?? ''} onChange={(event) => set(event.target.value || undefined)}>
            <option value="" />
            {options.map((option) => (
              <option key={option.value} value={option.value}>
                {option.label}
              </option>
            ))}
          </select>
        </div>
      )}
    </FieldFrame>
  );
}
