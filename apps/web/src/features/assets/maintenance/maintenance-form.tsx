import './maintenance.css';
import {
  createMaintenance,
  type MaintenanceRecord,
  maintenanceFields,
  maintenanceFiles,
  wholeRecord,
} from '@isotherm/contracts/maintenance';
import { MAINTENANCE_KINDS } from '@isotherm/domain/assets/maintenance-norms';
import { z } from 'zod';
import { serverNow } from '../../../shared/api/clock.ts';
import { AssetField } from '../../../shared/assets/asset-field.tsx';
import { Attachments } from '../../../shared/attachments/attachments.tsx';
import { dayIn } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { DateField } from '../../../shared/ui/form/date-field.tsx';
import { FixedField } from '../../../shared/ui/form/field-frame.tsx';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { typeableNumber } from '../../../shared/ui/form/typed-number.ts';
import { MAINTENANCE_KEY, useMaintenanceChanges } from './maintenance.queries.ts';
import { type MeasuredDraft, MeasuredField, measuredOf } from './measured-field.tsx';

const own = {
  ...maintenanceFields,
  measured: z.preprocess(
    (draft: MeasuredDraft | undefined) => measuredOf(draft ?? {}),
    maintenanceFields.measured,
  ),
  currency: z.preprocess(
    (typed: string | undefined) => (typed ?? '').trim().toUpperCase(),
    maintenanceFields.currency,
  ),
};
const created = wholeRecord(z.strictObject({ assetId: createMaintenance.body.shape.assetId, ...own }));
const changed = wholeRecord(z.strictObject(own));
const FAULT_FIELDS = { 'asset.not_found': 'assetId' };

/** Form that creates or edits a maintenance record. */
export function MaintenanceForm({
  record,
  onClose,
}: {
  record: MaintenanceRecord | undefined;
  onClose: () => void;
}) {
  const { text, zone } = useViewer();
  const changes = useMaintenanceChanges();
  if (!record)
    return (
      <FormDrawer
        wide
        title={text('maintenance.create.title')}
        submitLabel={text('maintenance.create')}
        schema={created}
        initial={{
          kind: 'service',
          measured: {},
          work: '',
          currency: '',
          doneOn: dayIn(zone, serverNow()),
        }}
        submit={(values) => changes.create(created.parse(values))}
        success={text('maintenance.saved')}
        faultFields={FAULT_FIELDS}
        onClose={onClose}
      >
        <FormSection title={text('maintenance.asset')}>
          <AssetField name="assetId" wide label={text('maintenance.asset')} />
        </FormSection>
        <Record />
      </FormDrawer>
    );
  const { kind, doneOn, doneBy, measured, work, nextDueOn, cost, currency } = record;
  return (
    <FormDrawer
      wide
      title={text('maintenance.edit.title')}
      submitLabel={text('common.action.save')}
      schema={changed}
      initial={{
        kind,
        doneOn,
        doneBy,
        work,
        currency,
        ...(nextDueOn ? { nextDueOn } : {}),
        ...(cost === null ? {} : { cost }),
        measured: Object.fromEntries(
          Object.entries(measured).map(([measure, value]) => [measure, typeableNumber(value)]),
        ),
      }}
      submit={(values) => changes.edit(record.id, changed.parse(values))}
      success={text('maintenance.saved')}
      onClose={onClose}
    >
      <FormSection title={text('maintenance.asset')}>
        <FixedField label={text('maintenance.asset')} value={`${record.asset.name} · ${record.asset.code}`} />
      </FormSection>
      <Record />
      <Attachments routes={maintenanceFiles} recordId={record.id} listKey={MAINTENANCE_KEY} />
    </FormDrawer>
  );
}

function Record() {
  const { text } = useText();
  return (
    <>
      <FormSection title={text('maintenance.visit')}>
        <SelectField
          name="kind"
          label={text('maintenance.kind')}
          options={MAINTENANCE_KINDS.map((kind) => ({
            value: kind,
            label: text(`maintenance.kind.${kind}`),
          }))}
        />
        <TextField name="doneBy" label={text('maintenance.done-by')} />
        <DateField name="doneOn" label={text('maintenance.done-on')} />
        <DateField name="nextDueOn" label={text('maintenance.next-due-on')} />
      </FormSection>
      <FormSection title={text('maintenance.measured')}>
        <p className="form-wide form-help">{text('maintenance.measured.help')}</p>
        <MeasuredField name="measured" />
      </FormSection>
      <FormSection title={text('maintenance.work')}>
        <TextAreaField name="work" label={text('maintenance.work')} rows={4} wide />
        <NumberField name="cost" label={text('maintenance.cost')} />
        <TextField
          name="currency"
          label={text('maintenance.currency')}
          help={text('maintenance.currency.help')}
        />
      </FormSection>
    </>
  );
}
