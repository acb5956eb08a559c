import { createAuthorization } from '@isotherm/contracts/authorizations';
import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { PermissionTreeField } from '../roles/permission-tree.tsx';
import { operationTreeQuery } from '../roles/roles.queries.ts';
import { useAuthorizationChanges } from './authorizations.queries.ts';

/** A select field cannot have the value null, so the value 0 stands for an unlimited validity. */
const FOR_EVER = 0;
const VALID_DAYS = [30, 90, 365, 730, 1825, FOR_EVER] as const;

const form = createAuthorization.body.extend({ validDays: z.number().int().min(FOR_EVER).max(3650) });

/** Form that creates an API key, or an authorization code that is exchanged for one. */
export function AuthorizationForm({
  onMade,
  onClose,
}: {
  onMade: (made: { name: string; kind: 'key' | 'code'; secret: string }) => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useAuthorizationChanges();
  const { data: tree } = useQuery(operationTreeQuery(0));
  if (!tree) return null;
  return (
    <FormDrawer
      wide
      title={text('authorizations.create.title')}
      submitLabel={text('authorizations.create.submit')}
      schema={form}
      initial={{ kind: 'key', validDays: 365, permissions: [] }}
      submit={async ({ validDays, ...values }) => {
        const { secret } = await changes.create({
          ...values,
          validDays: validDays === FOR_EVER ? null : validDays,
        });
        onMade({ name: values.name, kind: values.kind, secret });
      }}
      onClose={onClose}
    >
      <FormSection title={text('authorizations.section.machine')}>
        <TextField name="name" label={text('authorizations.name')} help={text('authorizations.name.help')} />
        <OrganizationField
          label={text('authorizations.organization')}
          help={text('authorizations.organization.help')}
        />
        <SelectField
          name="kind"
          label={text('authorizations.kind')}
          options={(['key', 'code'] as const).map((kind) => ({
            value: kind,
            label: text(`authorizations.kind.${kind}`),
            hint: text(`authorizations.kind-means.${kind}`),
          }))}
        />
        <ValidityField />
      </FormSection>
      <FormSection title={text('authorizations.permissions')}>
        <PermissionTreeField
          name="permissions"
          tree={tree}
          help={(count) => text('authorizations.permissions.help', { count })}
        />
      </FormSection>
    </FormDrawer>
  );
}

/** Field for the validity. It explains the result of the choice. */
function ValidityField() {
  const { text } = useText();
  const { value } = useField<number>('validDays');
  const isForEver = value === FOR_EVER;
  return (
    <SelectField
      name="validDays"
      label={text('authorizations.valid')}
      help={
        <span className={isForEver ? 'strong' : undefined}>
          {text(isForEver ? 'authorizations.valid.unlimited' : 'authorizations.valid.reminded')}
        </span>
      }
      options={VALID_DAYS.map((days) => ({
        value: days,
        label: text('authorizations.valid.days', { days }),
      }))}
    />
  );
}
