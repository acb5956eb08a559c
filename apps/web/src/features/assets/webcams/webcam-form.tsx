import { createWebcam, type Webcam, webcamFields, wholeWebcam } from '@isotherm/contracts/webcams';
import {
  givesSnapshots,
  SNAPSHOT_MINUTES,
  WEBCAM_KINDS,
  type WebcamKind,
} from '@isotherm/domain/assets/webcam';
import { z } from 'zod';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { AssetField } from '../../../shared/assets/asset-field.tsx';
import { formatSetting } from '../../../shared/format/duration.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { AsyncSelectField, SelectField, SwitchField } from '../../../shared/ui/form/choice-fields.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';
import { accountSource, useWebcamChanges } from './webcams.queries.ts';

const MINUTE_MS = 60_000;
/** Converts an empty selection to null. */
const orNull = <T extends z.ZodType>(schema: T) => z.preprocess((value: unknown) => value ?? null, schema);
const own = {
  ...webcamFields,
  accountId: orNull(webcamFields.accountId),
  assetId: orNull(webcamFields.assetId),
  snapshotMinutes: orNull(webcamFields.snapshotMinutes),
};
const created = wholeWebcam(
  z.strictObject({ organizationId: createWebcam.body.shape.organizationId, ...own }) as never,
) as z.ZodObject;
const changed = wholeWebcam(z.strictObject(own) as never) as z.ZodObject;
const FAULT_FIELDS = {
  'webcam.taken': 'name',
  'webcam.account_elsewhere': 'accountId',
  'webcam.account_missing': 'accountId',
  'webcam.asset_elsewhere': 'assetId',
  'asset.not_found': 'assetId',
};

/** Form that adds or edits a camera. */
export function WebcamForm({ webcam, onClose }: { webcam?: Webcam; onClose: () => void }) {
  const { text } = useText();
  const changes = useWebcamChanges();
  if (webcam) {
    const { name, kind, address, accountId, assetId, snapshotMinutes, snapshotAtAlarm } = webcam;
    return (
      <FormDrawer
        title={text('webcams.edit.title')}
        submitLabel={text('common.action.save')}
        schema={changed}
        initial={{
          name,
          kind,
          address,
          snapshotAtAlarm,
          ...(accountId ? { accountId } : {}),
          ...(assetId ? { assetId } : {}),
          ...(snapshotMinutes ? { snapshotMinutes } : {}),
        }}
        submit={(values) => changes.edit(webcam.id, changed.parse(values) as never)}
        success={text('webcams.saved')}
        faultFields={FAULT_FIELDS}
        onClose={onClose}
      >
        <Fields webcam={webcam} />
      </FormDrawer>
    );
  }
  return (
    <FormDrawer
      title={text('webcams.create')}
      submitLabel={text('webcams.create')}
      schema={created}
      initial={{ kind: 'hls', snapshotAtAlarm: true }}
      submit={(values) => changes.create(created.parse(values) as never)}
      success={text('webcams.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <Fields />
    </FormDrawer>
  );
}

function Fields({ webcam }: { webcam?: Webcam }) {
  const { text } = useText();
  const { value: kind } = useField<WebcamKind>('kind');
  const chosen = (id: number | null | undefined, label: string | undefined) =>
    id && label ? { value: id, label } : undefined;
  const keeps = kind === undefined || givesSnapshots(kind);
  return (
    <>
      <FormSection>
        <TextField name="name" wide label={text('webcams.name')} />
        {webcam ? null : <OrganizationField label={text('users.organization')} />}
        <SelectField
          name="kind"
          label={text('webcams.kind')}
          options={WEBCAM_KINDS.map((each) => ({ value: each, label: text(`webcams.kind.${each}`) }))}
        />
        <TextField name="address" wide label={text('webcams.address')} help={text('webcams.address.help')} />
        <AsyncSelectField
          name="accountId"
          label={text('webcams.account')}
          source={accountSource}
          chosen={chosen(webcam?.accountId, webcam?.accountName)}
        />
        <AssetField
          name="assetId"
          wide
          label={text('webcams.asset')}
          chosenName={webcam?.assetName}
          clearable
        />
      </FormSection>
      <FormSection title={text('webcams.snapshots')}>
        <SelectField
          name="snapshotMinutes"
          label={text('webcams.every')}
          clearable
          placeholder={text('webcams.every.never')}
          disabled={!keeps}
          options={SNAPSHOT_MINUTES.map((minutes) => ({
            value: minutes,
            label: formatSetting(minutes * MINUTE_MS, text),
          }))}
        />
        <SwitchField name="snapshotAtAlarm" label={text('webcams.at-alarm')} />
      </FormSection>
    </>
  );
}
