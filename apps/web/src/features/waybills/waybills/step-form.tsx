import {
  deliverWaybill,
  departWaybill,
  rejectWaybill,
  transshipWaybill,
  type WaybillDetail,
} from '@isotherm/contracts/waybills';
import { formatDuration } from '@isotherm/i18n/figures';
import { serverNow } from '../../../shared/api/clock.ts';
import { AssetField } from '../../../shared/assets/asset-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { MomentField } from '../../../shared/ui/form/moment-field.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { PreCoolState } from './pre-cool-state.tsx';
import { type Step, useWaybillChanges } from './waybills.queries.ts';

const SCHEMAS = {
  depart: departWaybill.body,
  transship: transshipWaybill.body,
  deliver: deliverWaybill.body,
  reject: rejectWaybill.body,
} as const;
const FAULT_FIELDS = {
  'asset.not_found': 'assetId',
  'waybill.before_leg': 'at',
  'waybill.future': 'at',
  'waybill.pre_cool': 'preCoolReason',
  'waybill.same_asset': 'assetId',
};

/** Form that records one step of the transport. */
export function StepForm({
  waybill,
  step,
  onClose,
}: {
  waybill: WaybillDetail;
  step: Step;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useWaybillChanges();
  const moves = step === 'depart' || step === 'transship';
  // Rounded down, so that the time of the form is never in the future.
  const now = new Date(Math.floor(serverNow() / 60_000) * 60_000).toISOString();
  return (
    <FormDrawer
      title={text(`waybills.action.${step}`)}
      submitLabel={text(`waybills.action.${step}`)}
      schema={SCHEMAS[step]}
      initial={{ at: now, ...(step === 'depart' ? { assetId: waybill.assetId } : {}) }}
      submit={(values) =>
        changes.step(waybill.id, step, {
          at: values.at,
          ...('assetId' in values ? { assetId: values.assetId as number } : {}),
          person: values.person ?? '',
          note: values.note ?? '',
          preCoolReason: 'preCoolReason' in values ? (values.preCoolReason ?? '') : '',
        })
      }
      success={text('waybills.step.done')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <MomentField name="at" label={text('waybills.step.at')} />
        {moves ? (
          <AssetField
            name="assetId"
            wide
            label={text('waybills.step.asset')}
            chosenName={step === 'depart' ? waybill.assetName : undefined}
          />
        ) : null}
        <TextField name="person" label={text(moves ? 'waybills.person' : 'waybills.person.received')} />
        <TextAreaField name="note" label={text('waybills.step.note')} rows={2} />
        {step === 'depart' && waybill.preCool ? (
          <>
            <div className="form-wide">
              <PreCoolState preCool={waybill.preCool} hasDeparted={false} />
            </div>
            <TextAreaField
              name="preCoolReason"
              label={text('waybills.pre-cool.reason')}
              help={text('waybills.pre-cool.reason.help', {
                required: formatDuration(waybill.preCool.requiredMs, text),
              })}
              rows={2}
            />
          </>
        ) : null}
      </FormSection>
    </FormDrawer>
  );
}
