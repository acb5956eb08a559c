import '../settings.css';
import { listOrganizations } from '@isotherm/contracts/organizations';
import { type RegistrationSettings, registrationSettings } from '@isotherm/contracts/registration';
import { listRoles } from '@isotherm/contracts/roles';
import { useQuery } from '@tanstack/react-query';
import { usePermission } from '../../../shared/access/permissions.ts';
import { roleDescription, roleName } from '../../../shared/access/role-words.ts';
import { call } from '../../../shared/api/client.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField, SwitchField, TreeField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { registrationSettingsQuery, useRegistrationChanges } from './registration.queries.ts';

/** Form schema with the body of the contract; empty fields become null. */
const termsForm = registrationSettings.extend({
  roleIds: registrationSettings.shape.roleIds.default([]),
  parentOrganizationId: registrationSettings.shape.parentOrganizationId.default(null),
});

/**
 * Form that determines whether visitors may register, with which role, and whether an administrator must
 * approve them.
 */
export function RegistrationTerms() {
  const { text } = useText();
  const changes = useRegistrationChanges();
  const mayEdit = usePermission('setting-registration:edit');
  const { data, error, refetch } = useQuery(registrationSettingsQuery);
  const roles = useQuery({
    queryKey: ['settings', 'registration', 'roles'],
    queryFn: ({ signal }) => call(listRoles, { signal, quiet: true }),
  });
  const organizations = useQuery({
    queryKey: ['settings', 'registration', 'organizations'],
    queryFn: ({ signal }) => call(listOrganizations, { signal, quiet: true }),
  });
  if (error && !data) return <FailureNotice error={error} retry={() => void refetch()} />;
  if (!data) return <div className="panel skeleton settings-waiting" />;

  async function save(values: Partial<RegistrationSettings>) {
    await changes.save({
      enabled: values.enabled ?? false,
      approval: values.approval ?? false,
      roleIds: values.roleIds ?? [],
      parentOrganizationId: values.parentOrganizationId ?? null,
    });
    toast('success', text('settings.saved'));
  }
  const disabled = !mayEdit;
  return (
    <section className="panel settings-terms">
      <FormPanel
        schema={termsForm}
        initial={data}
        submit={(values) => save(values as Partial<RegistrationSettings>)}
        submitLabel={text('settings.save')}
      >
        <SwitchField
          name="enabled"
          label={text('settings.registration.enabled')}
          help={text('settings.registration.enabled-help')}
          disabled={disabled}
        />
        <SwitchField
          name="approval"
          label={text('settings.registration.approval')}
          help={text('settings.registration.approval-help')}
          disabled={disabled}
        />
        <SelectField
          name="roleIds"
          multiple
          label={text('settings.registration.roles')}
          help={text('settings.registration.roles-help')}
          disabled={disabled}
          options={(roles.data ?? []).map((role) => ({
            value: role.id,
            label: roleName(role, text),
            hint: roleDescription(role, text),
          }))}
        />
        <TreeField
          name="parentOrganizationId"
          label={text('settings.registration.parent')}
          help={text('settings.registration.parent-help')}
          disabled={disabled}
          clearable
          loading={organizations.isPending}
          nodes={organizations.data ?? []}
        />
      </FormPanel>
    </section>
  );
}
