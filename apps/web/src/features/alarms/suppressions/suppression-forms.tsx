import {
  type Suppression,
  type SuppressionChange,
  type SuppressionInput,
  suppressionChange,
  suppressionInput,
} from '@isotherm/contracts/suppressions';
import { ALARM_LEVELS } from '@isotherm/domain/alarms/alarm-level';
import {
  DEFAULT_HIGHEST_LEVEL,
  SUPPRESSION_KINDS,
  SUPPRESSION_TARGETS,
  type SuppressionTargetKind,
} from '@isotherm/domain/alarms/suppression';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { AssetField } from '../../../shared/assets/asset-field.tsx';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { zoneName } from '../../../shared/format/zones.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { SelectField, TreeField } from '../../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { MomentField } from '../../../shared/ui/form/moment-field.tsx';
import { TextAreaField } from '../../../shared/ui/form/text-fields.tsx';
import { useClearedWith } from '../../../shared/ui/form/use-cleared-with.ts';
import { toast } from '../../../shared/ui/toast.tsx';
import { targetGroupsQuery } from '../policies/policies.queries.ts';
import { levelText } from './suppression-words.ts';
import { useSuppressionChanges } from './suppressions.queries.ts';

const MINUTE_MS = 60_000;
/** Duration that a new window has at first. */
const USUAL_MS = 2 * 3_600_000;

const FAULT_FIELDS = {
  'suppression.past': 'until',
  'suppression.too_long': 'until',
  'suppression.target': 'targetId',
};

/** Form that declares a window, for an asset if one is given. */
export function DeclareForm({ assetId, onClose }: { assetId?: number; onClose: () => void }) {
  const { text, zone } = useViewer();
  const changes = useSuppressionChanges();
  const [initial] = useState(() => {
    const now = Math.floor(serverNow() / MINUTE_MS) * MINUTE_MS;
    return {
      targetKind: 'asset' as const,
      ...(assetId === undefined ? {} : { targetId: assetId }),
      kind: 'maintenance' as const,
      from: new Date(now).toISOString(),
      until: new Date(now + USUAL_MS).toISOString(),
      highestLevel: DEFAULT_HIGHEST_LEVEL,
    };
  });
  return (
    <FormDrawer
      title={text('suppressions.create')}
      submitLabel={text('suppressions.create')}
      schema={suppressionInput}
      initial={initial}
      submit={(values) =>
        changes.create({ ...values, targetId: Number(values.targetId) } as SuppressionInput)
      }
      success={text('suppressions.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <p className="form-wide secondary">{text('suppressions.means')}</p>
        <SelectField
          wide
          name="targetKind"
          label={text('suppressions.target-kind')}
          options={SUPPRESSION_TARGETS.map((value) => ({
            value,
            label: text(`suppressions.target.${value}`),
          }))}
        />
        <TargetField />
        <MomentField
          name="from"
          label={text('suppressions.from')}
          help={text('suppressions.zone', { zone: zoneName(zone) })}
        />
        <MomentField name="until" label={text('suppressions.until')} help={text('suppressions.until.help')} />
        <SelectField
          name="kind"
          label={text('suppressions.kind')}
          options={SUPPRESSION_KINDS.map((value) => ({ value, label: text(`suppressions.kind.${value}`) }))}
        />
        <SelectField
          name="highestLevel"
          label={text('suppressions.level')}
          help={text('suppressions.level.help')}
          options={ALARM_LEVELS.map((level) => ({ value: level, label: levelText(level, text) }))}
        />
        <TextAreaField
          name="reason"
          label={text('suppressions.reason')}
          help={text('suppressions.reason.help')}
        />
      </FormSection>
    </FormDrawer>
  );
}

function TargetField() {
  const { text } = useText();
  const { value: kind } = useField<SuppressionTargetKind>('targetKind');
  const organizations = useOrganizations();
  useClearedWith('targetId', kind);
  const { data: groups, isPending } = useQuery({ ...targetGroupsQuery, enabled: kind === 'asset-group' });
  const shared = { name: 'targetId', label: text('suppressions.target'), wide: true };
  if (kind === 'asset-group')
    return (
      <TreeField
        key={kind}
        {...shared}
        help={text('suppressions.target.below')}
        nodes={groups ?? []}
        loading={isPending}
      />
    );
  // No organisation is preset: a window of the user’s whole organisation must be a choice.
  if (kind === 'organization')
    return <TreeField key={kind} {...shared} help={text('suppressions.target.below')} {...organizations} />;
  return <AssetField key={kind} {...shared} />;
}

/** Form that changes the end and the reason of a window. */
export function ChangeForm({ window, onClose }: { window: Suppression; onClose: () => void }) {
  const { text, zone } = useViewer();
  const changes = useSuppressionChanges();
  return (
    <FormDrawer
      title={text('suppressions.edit')}
      submitLabel={text('common.action.save')}
      schema={suppressionChange}
      initial={{ until: window.until, reason: window.reason }}
      submit={(values) => changes.edit(window.id, values as SuppressionChange)}
      success={text('suppressions.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <MomentField
          name="until"
          label={text('suppressions.until')}
          help={text('suppressions.zone', { zone: zoneName(zone) })}
        />
        <TextAreaField
          name="reason"
          label={text('suppressions.reason')}
          help={text('suppressions.reason.help')}
        />
      </FormSection>
    </FormDrawer>
  );
}

/** Confirmation before a window is ended, or cancelled if it has not started. */
export function EndDialog({ window, onClose }: { window: Suppression; onClose: () => void }) {
  const { text } = useText();
  const changes = useSuppressionChanges();
  const word = window.state === 'planned' ? 'cancel' : 'end';
  return (
    <ConfirmWithReason
      weight="plain"
      title={text(`suppressions.${word}.title`)}
      confirmLabel={text(`suppressions.${word}`)}
      // The dialog’s own button must not be mistaken for the one that cancels the window.
      cancelLabel={text('common.action.close')}
      onConfirm={async () => {
        await changes.end(window.id);
        toast('success', text(`suppressions.${word}.done`));
      }}
      onClose={onClose}
    >
      <p>{text(`suppressions.${word}.means`)}</p>
    </ConfirmWithReason>
  );
}
