import { loginAccount } from '@isotherm/contracts/fields';
import { currentZone } from '@isotherm/contracts/time-zones';
import { SETTLEMENTS, type UserDetail, userInput } from '@isotherm/contracts/users';
import { ACCOUNT_TYPES } from '@isotherm/domain/access/roles';
import { useQuery } from '@tanstack/react-query';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { roleDescription, roleName } from '../../../shared/access/role-words.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { AsyncSelectField, SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { ZoneField } from '../../../shared/ui/form/zone-field.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { agentSource, rolesQuery, useUserChanges } from './users.queries.ts';

const FAULT_FIELDS = {
  'user.username_taken': 'username',
  'user.type': 'accountType',
  'role.escalation': 'roleIds',
};
const newUser = userInput.extend({ username: loginAccount });

/** Form that creates or edits an account. */
export function UserForm({
  user,
  organizationId,
  onClose,
}: {
  user?: UserDetail;
  /** Initial organisation of a new account. */
  organizationId?: number | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useUserChanges();
  if (user)
    return (
      <FormDrawer
        wide
        title={text('users.edit.title', { name: user.realname })}
        submitLabel={text('common.action.save')}
        schema={userInput}
        initial={{
          realname: user.realname,
          organizationId: user.organizationId,
          accountType: user.accountType,
          roleIds: user.roles.map(({ id }) => id),
          mobile: user.mobile,
          landline: user.landline,
          email: user.email,
          address: user.address,
          description: user.description,
          timeZone: currentZone(user.timeZone),
          settlement: user.settlement,
          ...(user.agent ? { agentId: user.agent.id } : {}),
        }}
        submit={async (values) => {
          await changes.edit(user.id, values);
          toast('success', text('users.edit.done', { name: values.realname }));
        }}
        faultFields={FAULT_FIELDS}
        onClose={onClose}
      >
        <UserFields user={user} />
      </FormDrawer>
    );
  return (
    <FormDrawer
      wide
      title={text('users.create.title')}
      submitLabel={text('users.create')}
      schema={newUser}
      initial={{
        accountType: 'staff',
        settlement: 'shared',
        ...(organizationId ? { organizationId } : {}),
      }}
      submit={async (values) => {
        await changes.create(values);
        toast('success', text('users.create.done'));
      }}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection title={text('users.section.login')}>
        <TextField name="username" label={text('users.username')} help={text('users.username.help')} wide />
      </FormSection>
      <UserFields />
    </FormDrawer>
  );
}

function UserFields({ user }: { user?: UserDetail }) {
  const { text } = useText();
  const { data: roles = [] } = useQuery(rolesQuery);
  const held = new Set(user?.roles.map(({ id }) => id));
  return (
    <>
      <FormSection title={text('users.section.person')}>
        <TextField name="realname" label={text('users.realname')} />
        <OrganizationField label={text('users.organization')} />
        <SelectField
          name="roleIds"
          label={text('users.roles')}
          multiple
          wide
          options={roles.map((role) => ({
            value: role.id,
            label: roleName(role, text),
            ...(role.grantable || held.has(role.id)
              ? { hint: roleDescription(role, text) }
              : { disabled: true, hint: text('users.role.not-grantable') }),
          }))}
        />
        <SelectField
          name="accountType"
          label={text('users.type')}
          help={text('users.type.help')}
          options={ACCOUNT_TYPES.map((type) => ({ value: type, label: text(`users.type.${type}`) }))}
        />
        <AsyncSelectField
          name="agentId"
          label={text('users.agent')}
          help={text('users.agent.help')}
          source={agentSource}
          chosen={user?.agent ? { value: user.agent.id, label: user.agent.realname } : undefined}
          placeholder={text('users.agent.none')}
        />
        <SelectField
          name="settlement"
          label={text('users.settlement')}
          help={text('users.settlement.help')}
          options={SETTLEMENTS.map((each) => ({ value: each, label: text(`users.settlement.${each}`) }))}
        />
        <ZoneField
          name="timeZone"
          label={text('users.time-zone')}
          placeholder={text('users.time-zone.of-organization')}
        />
      </FormSection>
      <FormSection title={text('users.section.contact')}>
        <TextField name="mobile" label={text('users.mobile')} inputMode="tel" />
        <TextField name="email" label={text('users.email')} inputMode="email" />
        <TextField name="landline" label={text('users.landline')} inputMode="tel" />
        <TextField name="address" label={text('users.address')} />
        <TextAreaField name="description" label={text('users.description')} />
      </FormSection>
    </>
  );
}
