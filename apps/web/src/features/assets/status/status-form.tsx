import { changeAssetStatus } from '@isotherm/contracts/asset-status';
import {
  type AssetStatus,
  longestMinutes,
  STATUS_QUIET,
  STATUS_TRANSITIONS,
} from '@isotherm/domain/assets/asset-status';
import { useEffect } from 'react';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextAreaField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useStatusChange } from './status.queries.ts';

/** Form that changes the status of an asset, with a reason and, for defrost or maintenance, a duration. */
export function StatusForm({
  asset,
  onClose,
}: {
  asset: { id: number; name: string; status: AssetStatus };
  onClose: () => void;
}) {
  const { text } = useText();
  const change = useStatusChange();
  return (
    <FormDrawer
      title={text('assets.status.change.title', { name: asset.name })}
      submitLabel={text('assets.status.change')}
      schema={changeAssetStatus.body}
      initial={{ from: asset.status }}
      submit={async (values) => {
        const { to } = await change(asset.id, values);
        toast(
          'success',
          text('assets.status.change.done', { name: asset.name, status: text(`assets.status.${to}`) }),
        );
      }}
      onClose={onClose}
    >
      <FormSection>
        <p className="form-wide secondary">
          {text('assets.status.now', { status: text(`assets.status.${asset.status}`) })}
        </p>
        <NextStatus from={asset.status} />
        <TextAreaField name="reason" label={text('assets.history.reason')} />
      </FormSection>
    </FormDrawer>
  );
}

function NextStatus({ from }: { from: AssetStatus }) {
  const { text } = useText();
  const { value: to } = useField<AssetStatus>('to');
  const { value: minutes, set: setMinutes } = useField<number>('minutes');
  const most = to ? longestMinutes(to) : null;
  // A duration belongs to the status that it was entered for, so it is cleared when the status changes.
  useEffect(() => {
    if (most === null && minutes !== undefined) setMinutes(undefined);
  });
  const quiet = to ? STATUS_QUIET[to] : 'nothing';
  return (
    <>
      <SelectField
        name="to"
        wide
        label={text('assets.status.change.to')}
        {...(quiet === 'nothing' ? {} : { help: text(`assets.status.change.quiet-${quiet}`) })}
        options={STATUS_TRANSITIONS[from].map((status) => ({
          value: status,
          label: text(`assets.status.${status}`),
        }))}
      />
      {most === null ? null : (
        <NumberField
          key={to}
          name="minutes"
          wide
          step={1}
          unit="min"
          label={text('assets.status.change.minutes')}
          help={text('assets.status.change.minutes.help', { most })}
        />
      )}
    </>
  );
}
