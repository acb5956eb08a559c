import {
  createVerifierUnit,
  editVerifierUnit,
  listVerifierUnits,
  type VerifierUnit,
} from '@isotherm/contracts/validation-studies';
import { useMemo, useState } from 'react';
import { useOrganizations } from '../../shared/access/organizations.ts';
import { usePagePermission } from '../../shared/access/permissions.ts';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { TreeField } from '../../shared/ui/form/choice-fields.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { UNITS_KEY, useValidationChanges } from './validation.queries.ts';

const EDIT = 'asset-validation:edit';
const source = pagesOf(listVerifierUnits);

function columnsFor({ text, time }: Viewer): ListColumn<VerifierUnit>[] {
  const plain = (value: string) => <span className="secondary">{value || EN_RULE}</span>;
  return [
    {
      key: 'name',
      title: text('validations.unit.name'),
      sortable: true,
      pinned: true,
      maxWidth: 280,
      render: (each) => each.name,
    },
    {
      key: 'qualification',
      title: text('validations.unit.qualification'),
      render: (each) => plain(each.qualification),
    },
    { key: 'contact', title: text('validations.unit.contact'), render: (each) => plain(each.contact) },
    { key: 'phone', title: text('validations.unit.phone'), render: (each) => plain(each.phone) },
    {
      key: 'organizationName',
      title: text('validations.organization'),
      sortable: true,
      render: (each) => plain(each.organizationName),
    },
    { key: 'studies', title: text('validations.studies'), align: 'end', render: (each) => each.studies },
    {
      key: 'changedAt',
      title: text('validations.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: (each) => plain(`${time(each.changedAt, 'date-time')} · ${each.changedBy}`),
    },
  ];
}

/** Who verifies: laboratories, services, one's own metrology. */
export function UnitList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useValidationChanges();
  const editing = usePagePermission(EDIT);
  const [open, setOpen] = useState<VerifierUnit | null>(null);
  const [doomed, setDoomed] = useState<VerifierUnit | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const edit = (unit: VerifierUnit) => (editing === 'held' ? setOpen(unit) : undefined);
  const addButton = (
    <PermissionButton
      permission={EDIT}
      className="button button-primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('validations.unit.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        embedded
        name="verifier-units"
        title={text('validations.units')}
        purpose={text('validations.units.purpose')}
        source={source}
        queryKey={UNITS_KEY}
        columns={columns}
        rowKey={(each) => each.id}
        rowName={(each) => each.name}
        searchLabel={text('validations.unit.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        {...(editing === 'held' ? { onOpen: edit } : {})}
        actions={addButton}
        rowActions={(each) =>
          editing === 'held'
            ? [
                { key: 'edit', label: text('validations.edit'), onClick: () => edit(each) },
                {
                  key: 'delete',
                  danger: true,
                  label: text('validations.delete'),
                  onClick: () => setDoomed(each),
                },
              ]
            : []
        }
        empty={{
          title: text('validations.units.empty'),
          reason: text('validations.units.purpose'),
          action: addButton,
        }}
      />
      {params.get('new') && editing === 'held' ? <UnitForm onClose={() => change({ new: null })} /> : null}
      {open ? <UnitForm unit={open} onClose={() => setOpen(null)} /> : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('validations.unit.delete.title', { name: doomed.name })}
          confirmLabel={text('validations.delete')}
          onConfirm={async (reason) => {
            await changes.removeUnit(doomed.id, reason);
            toast('success', text('validations.deleted', { name: doomed.name }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('validations.unit.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

function UnitForm({ unit, onClose }: { unit?: VerifierUnit; onClose: () => void }) {
  const { text } = useText();
  const changes = useValidationChanges();
  const organizations = useOrganizations();
  const faultFields = { 'verifier.taken': 'name' };
  const fields = (
    <FormSection title={text('validations.unit')}>
      {unit ? null : (
        <TreeField name="organizationId" label={text('validations.organization')} {...organizations} />
      )}
      <TextField name="name" label={text('validations.unit.name')} />
      <TextField name="qualification" label={text('validations.unit.qualification')} />
      <TextField name="contact" label={text('validations.unit.contact')} />
      <TextField name="phone" label={text('validations.unit.phone')} />
    </FormSection>
  );
  if (unit) {
    const { name, qualification, contact, phone } = unit;
    return (
      <FormDrawer
        title={text('validations.unit.edit')}
        submitLabel={text('common.action.save')}
        schema={editVerifierUnit.body}
        initial={{ name, qualification, contact, phone }}
        submit={async (values) => {
          await changes.editUnit(unit.id, values);
          toast('success', text('validations.saved'));
        }}
        faultFields={faultFields}
        onClose={onClose}
      >
        {fields}
      </FormDrawer>
    );
  }
  if (organizations.loading) return null;
  const [root] = organizations.nodes;
  return (
    <FormDrawer
      title={text('validations.unit.create')}
      submitLabel={text('validations.unit.create')}
      schema={createVerifierUnit.body}
      initial={root ? { organizationId: root.id } : {}}
      submit={async (values) => {
        await changes.createUnit(values);
        toast('success', text('validations.saved'));
      }}
      faultFields={faultFields}
      onClose={onClose}
    >
      {fields}
    </FormDrawer>
  );
}
