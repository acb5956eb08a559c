import type { Firmware, Rollout } from '@isotherm/contracts/firmware';
import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField, SwitchField, TreeField } from '../../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { useSettled } from '../../../shared/ui/form/use-settled.ts';
import { toast } from '../../../shared/ui/toast.tsx';
import { rolloutBody, rolloutForm } from './rollout-draft.ts';
import { outlookQuery, useUpgradeChanges } from './upgrade.queries.ts';

const DAY_S = 86_400;
const WAITS_S = [DAY_S, 3 * DAY_S, 7 * DAY_S, 30 * DAY_S];

/** Form that creates a roll-out of a firmware version. */
export function RolloutForm({
  firmware,
  onBegun,
  onClose,
}: {
  firmware: Firmware;
  onBegun: (rollout: Rollout) => void;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useUpgradeChanges();
  const organizations = useOrganizations();
  const begun = useRef<Rollout>(null);
  return (
    <FormDrawer
      title={text('upgrade.rollout.title', { name: `${firmware.model} ${firmware.version}` })}
      submitLabel={text('upgrade.rollout.begin')}
      schema={rolloutForm}
      initial={{
        waves: '1, 10 %',
        isAutomatic: true,
        successPercent: 90,
        failurePercent: 10,
        offerWithinS: 7 * DAY_S,
      }}
      submit={async (values) => {
        begun.current = await changes.begin(rolloutBody(firmware.id, rolloutForm.parse(values)));
        toast('success', text('upgrade.rollout.done'));
      }}
      onDone={() => begun.current && onBegun(begun.current)}
      onClose={onClose}
    >
      <FormSection title={text('upgrade.rollout.who')}>
        <TreeField
          name="organizationId"
          clearable
          label={text('upgrade.organization')}
          placeholder={text('stats.all-organizations')}
          {...organizations}
        />
        <TextField
          name="search"
          label={text('upgrade.rollout.search')}
          help={text('upgrade.rollout.search.help')}
        />
        <Outlook firmwareId={firmware.id} />
      </FormSection>
      <FormSection title={text('upgrade.rollout.how')}>
        <TextField
          name="waves"
          wide
          label={text('upgrade.rollout.waves')}
          help={text('upgrade.rollout.waves.help')}
        />
        <NumberField name="successPercent" unit="%" label={text('upgrade.rollout.success')} />
        <NumberField name="failurePercent" unit="%" label={text('upgrade.rollout.failure')} />
        <SwitchField name="isAutomatic" label={text('upgrade.rollout.automatic')} />
        <SelectField
          name="offerWithinS"
          label={text('upgrade.rollout.waits')}
          options={WAITS_S.map((seconds) => ({
            value: seconds,
            label: text('stats.days', { count: seconds / DAY_S }),
          }))}
        />
        <TextAreaField name="note" label={text('upgrade.rollout.note')} rows={2} />
      </FormSection>
    </FormDrawer>
  );
}

/** Number of devices that the roll-out would reach. */
function Outlook({ firmwareId }: { firmwareId: number }) {
  const { text } = useText();
  const { value: organizationId } = useField<number>('organizationId');
  const { value: search = '' } = useField<string>('search');
  const { data } = useQuery(
    outlookQuery({
      firmwareId,
      search: useSettled(search),
      ...(organizationId === undefined ? {} : { organizationId }),
    }),
  );
  if (!data) return null;
  const { devices: count, current, busy } = data;
  return (
    <p className="secondary form-wide" role="status">
      {text('upgrade.rollout.outlook', { count, current, busy })}
    </p>
  );
}
