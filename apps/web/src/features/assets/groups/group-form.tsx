import { type AssetGroup, createAssetGroup, editAssetGroup } from '@isotherm/contracts/asset-groups';
import { useQuery } from '@tanstack/react-query';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { TreeField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { groupsQuery, useGroupChanges } from './groups.queries.ts';

const FAULT_FIELDS = { 'group.parent': 'parentId', 'group.not_found': 'parentId' };

/** Form that creates or edits a group. */
export function GroupForm({ group, onClose }: { group?: AssetGroup; onClose: () => void }) {
  const { text } = useText();
  const changes = useGroupChanges();
  const { data: groups, isPending } = useQuery(groupsQuery);
  const saved = ({ name }: AssetGroup) => toast('success', text('assets.group.saved', { name }));
  const fields = (
    <>
      <TextField name="name" wide label={text('assets.group.name')} />
      <TreeField
        name="parentId"
        wide
        clearable
        label={text('assets.group.parent')}
        placeholder={text('assets.group.parent.none')}
        nodes={groups ?? []}
        loading={isPending}
        {...(group ? { without: new Set([group.id]) } : {})}
      />
      <TextAreaField name="description" label={text('assets.group.description')} />
    </>
  );
  if (group)
    return (
      <FormDrawer
        title={text('assets.group.edit.title', { name: group.name })}
        submitLabel={text('common.action.save')}
        schema={editAssetGroup.body}
        initial={{
          name: group.name,
          description: group.description,
          ...(group.parentId === null ? {} : { parentId: group.parentId }),
        }}
        submit={async (values) => saved(await changes.edit(group.id, values))}
        faultFields={FAULT_FIELDS}
        onClose={onClose}
      >
        <FormSection>{fields}</FormSection>
      </FormDrawer>
    );
  return (
    <FormDrawer
      title={text('assets.group.create')}
      submitLabel={text('assets.group.create')}
      schema={createAssetGroup.body}
      initial={{}}
      submit={async (values) => saved(await changes.create(values))}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        {fields}
        <OrganizationField wide label={text('users.organization')} />
      </FormSection>
    </FormDrawer>
  );
}
