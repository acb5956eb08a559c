import { type Role, roleInput } from '@isotherm/contracts/roles';
import { useQuery } from '@tanstack/react-query';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { roleName } from '../../../shared/access/role-words.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SwitchField, TreeField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { codesOf } from './permission-choice.ts';
import { PermissionTreeField } from './permission-tree.tsx';
import { operationTreeQuery, useRoleChanges } from './roles.queries.ts';

const FAULT_FIELDS = { 'role.name_taken': 'name', 'role.escalation': 'pagePermissions' };

/** Form that creates, copies or edits a role. */
export function RoleForm({
  role,
  copy = false,
  onClose,
}: {
  role?: Role;
  /** True to create a new role as a copy of the given one. */
  copy?: boolean;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useRoleChanges();
  const organizations = useOrganizations();
  const { data: tree } = useQuery(operationTreeQuery(role?.id ?? 0));
  if (!tree || organizations.loading) return null;
  const edited = role && !copy ? role : null;
  const name = role ? roleName(role, text) : '';
  const grantable = new Set(grantableCodes(tree));
  const held = role?.pagePermissions ?? [];
  return (
    <FormDrawer
      wide
      title={
        edited
          ? text('roles.edit.title', { name })
          : role
            ? text('roles.copy.title', { name })
            : text('roles.create.title')
      }
      submitLabel={text(edited ? 'common.action.save' : 'roles.create')}
      schema={roleInput}
      initial={{
        name: edited ? name : role ? text('roles.copy.name', { name }) : '',
        description: role?.description ?? '',
        organizationId: edited?.organizationId ?? organizations.nodes[0]?.id ?? 0,
        // A copy contains only the permissions that the user may grant.
        pagePermissions: edited ? held : held.filter((code) => grantable.has(code)),
        requiresSecondFactor: role?.requiresSecondFactor ?? false,
      }}
      submit={async (values) => {
        if (edited) await changes.edit(edited.id, values);
        else await changes.create(values);
        toast('success', text(edited ? 'roles.edit.done' : 'roles.create.done', { name: values.name }));
      }}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection title={text('roles.section.identity')}>
        <TextField name="name" label={text('roles.name')} />
        <TreeField
          name="organizationId"
          label={text('roles.organization')}
          help={text('roles.organization.help')}
          {...organizations}
        />
        <SwitchField
          name="requiresSecondFactor"
          label={text('roles.second-factor')}
          help={text('roles.second-factor.help')}
          wide
        />
        <TextAreaField name="description" label={text('roles.description')} rows={2} />
      </FormSection>
      <FormSection title={text('roles.permissions')}>
        <PermissionTreeField
          name="pagePermissions"
          tree={tree}
          help={(count) => text('roles.permissions.help', { count })}
        />
      </FormSection>
    </FormDrawer>
  );
}

function grantableCodes(tree: Parameters<typeof codesOf>[0]): string[] {
  return tree.flatMap((node) => [
    ...(node.grantable ? codesOf([{ ...node, children: undefined }]) : []),
    ...(node.children ? grantableCodes(node.children) : []),
  ]);
}
