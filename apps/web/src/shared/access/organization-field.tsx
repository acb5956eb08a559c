import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { TreeField } from '../ui/form/choice-fields.tsx';
import type { FieldProps } from '../ui/form/field-frame.tsx';
import { useFormContext } from '../ui/form/form-context.ts';
import { organizationTreeQuery, useOrganizations } from './organizations.ts';

/** Field for the organisation of a new record. The default is the user's own organisation. */
export function OrganizationField({
  name = 'organizationId',
  ...props
}: Omit<FieldProps, 'name'> & { name?: string }) {
  const organizations = useOrganizations();
  const { prefill } = useFormContext();
  const client = useQueryClient();
  const [own] = organizations.nodes;
  useEffect(() => {
    prefill(name, own?.id ?? client.ensureQueryData(organizationTreeQuery).then(([first]) => first?.id));
  }, [own, name, prefill, client]);
  return <TreeField name={name} {...props} {...organizations} />;
}
