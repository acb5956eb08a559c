import { type Geofence, geofenceInput } from '@isotherm/contracts/geofences';
import { DEFAULT_MARGIN_M } from '@isotherm/domain/geo/fence';
import { useMemo } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { FormPanel } from '../../../shared/ui/form/form-panel.tsx';
import { NumberField, TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import type { FenceDraft } from './fence-draft.ts';
import { useFenceChanges } from './fences.queries.ts';
import { ShapeField } from './shape-field.tsx';

const FAULT_FIELDS = { 'organization.not_found': 'organizationId', 'geofence.taken': 'name' };

const valuesOf = ({ organizationId, name, shape, marginM, dwellMinutes, shared, note }: Geofence) => ({
  organizationId,
  name,
  shape,
  marginM,
  dwellMinutes,
  shared,
  note,
});

/** Form that creates or edits a geofence, beside the map on which it is drawn. */
export function FenceForm({
  fence,
  draft,
  onDraft,
  onClose,
}: {
  fence: Geofence | undefined;
  draft: FenceDraft;
  onDraft: (draft: FenceDraft) => void;
  onClose: (id: number | null) => void;
}) {
  const { text } = useText();
  const changes = useFenceChanges();
  const initial = useMemo(
    () => (fence ? valuesOf(fence) : { marginM: DEFAULT_MARGIN_M, shared: true, note: '' }),
    [fence],
  );
  return (
    <FormPanel
      schema={geofenceInput}
      initial={initial}
      submitLabel={text(fence ? 'common.action.save' : 'geofences.create')}
      faultFields={FAULT_FIELDS}
      submit={async (values) => {
        const whole = geofenceInput.parse(values);
        const saved = fence ? await changes.edit(fence.id, whole) : await changes.create(whole);
        toast('success', text('geofences.saved', { name: saved.name }));
      }}
      onDone={() => onClose(fence?.id ?? null)}
      onCancel={() => onClose(fence?.id ?? null)}
    >
      <TextField name="name" label={text('geofences.name')} wide />
      {fence ? null : <OrganizationField label={text('geofences.organization')} wide />}
      <ShapeField draft={draft} onDraft={onDraft} />
      <NumberField
        name="marginM"
        label={text('geofences.margin')}
        help={text('geofences.margin.help')}
        unit="m"
        step={1}
      />
      <NumberField
        name="dwellMinutes"
        label={text('geofences.dwell')}
        help={text('geofences.dwell.help')}
        unit="min"
        step={1}
      />
      <SwitchField name="shared" label={text('geofences.shared')} help={text('geofences.shared.help')} wide />
      <TextAreaField name="note" label={text('geofences.note')} rows={2} />
    </FormPanel>
  );
}
