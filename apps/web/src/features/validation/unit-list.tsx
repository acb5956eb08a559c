import {
  createVerifierUnit,
  editVerifierUnit,
  listVerifierUnits,
  type VerifierUnit,
} from '@isotherm/contracts/validation-studies';
import { useMemo } from 'react';
import { OrganizationField } from '../../shared/access/organization-field.tsx';
import { EN_RULE } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../shared/ui/form/text-fields.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { RecordList } from '../../shared/ui/list/record-list.tsx';
import { UNITS_KEY, useValidationChanges } from './validation.queries.ts';

const source = pagesOf(listVerifierUnits);
const FAULT_FIELDS = { 'verifier.taken': 'name' };

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

/** List of the verifier units: laboratories, service companies, own metrology departments. */
export function UnitList() {
  const viewer = useViewer();
  const { text } = viewer;
  const changes = useValidationChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <RecordList
      embedded
      name="verifier-units"
      title={text('validations.units')}
      purpose={text('validations.units.purpose')}
      permission="asset-validation:edit"
      param="unit"
      source={source}
      queryKey={UNITS_KEY}
      columns={columns}
      nameOf={(each) => each.name}
      searchLabel={text('validations.unit.search')}
      defaultSort={{ sort: 'name', order: 'asc' }}
      words={{
        create: text('validations.unit.create'),
        edit: text('validations.edit'),
        remove: text('validations.delete'),
      }}
      empty={{ title: text('validations.units.empty'), reason: text('validations.units.purpose') }}
      form={(unit, close) => <UnitForm unit={unit} onClose={close} />}
      removal={{
        title: (name) => text('validations.unit.delete.title', { name }),
        means: () => text('validations.unit.delete.means'),
        done: (name) => text('validations.deleted', { name }),
        run: ({ id }, reason) => changes.removeUnit(id, reason),
      }}
    />
  );
}

function UnitForm({ unit, onClose }: { unit: VerifierUnit | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = useValidationChanges();
  const shared = { faultFields: FAULT_FIELDS, success: text('validations.saved'), onClose };
  const fields = (
    <FormSection title={text('validations.unit')}>
      {unit ? null : <OrganizationField label={text('validations.organization')} />}
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
        submit={(values) => changes.editUnit(unit.id, values)}
        {...shared}
      >
        {fields}
      </FormDrawer>
    );
  }
  return (
    <FormDrawer
      title={text('validations.unit.create')}
      submitLabel={text('validations.unit.create')}
      schema={createVerifierUnit.body}
      initial={{}}
      submit={changes.createUnit}
      {...shared}
    >
      {fields}
    </FormDrawer>
  );
}
