import type { useOrganizations } from '../../access/organizations.ts';
import type { Text } from '../../i18n/use-text.ts';
import { TreeSelect } from '../tree/tree-select.tsx';
import type { ListFilter } from './list-types.ts';

/** Filter by the user's own and subordinate organisations. */
export function organizationFilter(
  text: Text,
  { nodes, loading }: ReturnType<typeof useOrganizations>,
): ListFilter {
  const label = text('users.organization');
  return {
    keys: ['organizationId'],
    label,
    control: (values, change) => (
      <TreeSelect
        className="list-tree"
        aria-label={label}
        nodes={nodes}
        loading={loading}
        clearable
        placeholder={text('common.list.chip', { name: label, value: text('common.list.any') })}
        value={values.organizationId ? Number(values.organizationId) : undefined}
        onChange={(id) => change({ organizationId: id === undefined ? null : String(id) })}
      />
    ),
    describe: (values) => nodes.find(({ id }) => String(id) === values.organizationId)?.name ?? '',
  };
}
