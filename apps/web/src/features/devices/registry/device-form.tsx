import {
  type DeviceDetail,
  type DeviceInput,
  deviceInput,
  type NewDevice,
  newDevice,
} from '@isotherm/contracts/device-registry';
import { DEVICE_TYPES } from '@isotherm/domain/devices/device-state';
import { useState } from 'react';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { ApiError } from '../../../shared/api/api-error.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { useEditConflict } from '../../../shared/ui/edit-conflict.tsx';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { DateField } from '../../../shared/ui/form/date-field.tsx';
import { FormDrawer, FormSection, InputDiscarded } from '../../../shared/ui/form/form-drawer.tsx';
import { NumberField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { ZoneField } from '../../../shared/ui/form/zone-field.tsx';
import { OneTimeSecret } from '../../../shared/ui/one-time-secret.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { rememberKey } from '../connect/connect-keys.ts';
import { completed, conflictRows, draftOf, FIELD_WORDS, mergeEdits } from './device-draft.ts';
import { useDeviceChanges } from './registry.queries.ts';
import { SensorsField } from './sensors-field.tsx';

const FAULT_FIELDS = {
  'device.number_taken': 'number',
  'device.eui_taken': 'devEui',
  'device.token_taken': 'token',
  'device.gateway': 'gatewayNumber',
  'organization.not_found': 'organizationId',
};

/** Form that registers or edits a device. */
export function DeviceForm(props: {
  device?: DeviceDetail;
  /** Default organisation of a new device. If absent, the user's own organisation is used. */
  organizationId?: number | undefined;
  onClose: () => void;
}) {
  const { device, organizationId, onClose } = props;
  return device ? (
    <EditForm device={device} onClose={onClose} />
  ) : (
    <CreateForm organizationId={organizationId} onClose={onClose} />
  );
}

function CreateForm({
  organizationId,
  onClose,
}: {
  organizationId: number | undefined;
  onClose: () => void;
}) {
  const { text, zone } = useViewer();
  const changes = useDeviceChanges();
  const go = useGo();
  const [made, setMade] = useState<{ device: DeviceDetail; key: string } | null>(null);
  if (made)
    return (
      <OneTimeSecret
        title={text('devices.key.title', { number: made.device.number })}
        secret={made.key}
        fileName={`${made.device.number}.key`}
        next={{
          label: text('devices.key.connect'),
          onClick: () => {
            rememberKey(made.device.number, made.key);
            go(`/device/list/${made.device.number}/connect`);
          },
        }}
        onClose={onClose}
      >
        {text('devices.key.pass-on')}
      </OneTimeSecret>
    );
  return (
    <FormDrawer
      wide
      title={text('devices.create')}
      submitLabel={text('devices.create')}
      schema={newDevice}
      initial={{
        type: 'logger',
        timeZone: zone,
        offlineAfterMinutes: 30,
        acquisitionIntervalS: 60,
        uploadIntervalS: 60,
        sensors: [{ name: '', indicators: ['temperature'] }],
        ...(organizationId ? { organizationId } : {}),
      }}
      submit={async (values) => {
        setMade(await changes.create(values as NewDevice));
      }}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
      onDone={() => undefined}
    >
      <FormSection title={text('devices.section.identity')}>
        <TextField
          name="number"
          label={text('devices.number')}
          help={text('devices.number.help')}
          inputMode="numeric"
        />
        <OrganizationField label={text('devices.organization')} />
        <IdentityFields />
      </FormSection>
      <FormSection title={text('devices.section.sensors')}>
        <SensorsField name="sensors" />
      </FormSection>
      <OtherFields />
      <FormSection title={text('devices.key')}>
        <TextField name="key" label={text('devices.key')} help={text('devices.key.help')} wide />
        <TextField name="token" label={text('devices.token')} help={text('devices.token.help')} wide />
      </FormSection>
    </FormDrawer>
  );
}

function EditForm({ device, onClose }: { device: DeviceDetail; onClose: () => void }) {
  const { text } = useText();
  const changes = useDeviceChanges();
  // The page reloads the device, but the form keeps the version that is being edited.
  const [base] = useState(device);
  const { choose, conflictDialog } = useEditConflict();

  async function save(wanted: DeviceInput, version: number): Promise<void> {
    try {
      await changes.edit(device.number, version, wanted);
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'device.changed') throw error;
      const stored = await changes.fresh(device.number);
      const merged = mergeEdits(draftOf(base), wanted, draftOf(stored));
      const choice = await choose({
        name: stored.changedBy,
        rows: conflictRows(merged, draftOf(stored), text),
      });
      if (choice === 'discard') throw new InputDiscarded();
      if (choice === 'back') throw error;
      return save(merged, stored.version);
    }
  }

  return (
    <>
      <FormDrawer
        wide
        title={text('devices.edit.title', { number: device.number })}
        submitLabel={text('common.action.save')}
        schema={deviceInput}
        initial={draftOf(base)}
        submit={async (values) => {
          await save(completed(values), base.version);
          toast('success', text('devices.edit.done', { number: device.number }));
        }}
        faultFields={FAULT_FIELDS}
        onClose={onClose}
      >
        <FormSection title={text('devices.section.identity')}>
          <IdentityFields />
        </FormSection>
        <OtherFields />
      </FormDrawer>
      {conflictDialog}
    </>
  );
}

function IdentityFields() {
  const { text } = useText();
  return (
    <>
      <TextField name="name" label={text(FIELD_WORDS.name)} />
      <SelectField
        name="type"
        label={text(FIELD_WORDS.type)}
        options={DEVICE_TYPES.map((type) => ({ value: type, label: text(`devices.type.${type}`) }))}
      />
      <TextField name="model" label={text(FIELD_WORDS.model)} />
      <TextField name="serial" label={text(FIELD_WORDS.serial)} />
    </>
  );
}

function OtherFields() {
  const { text } = useText();
  const seconds = text('commands.seconds.unit');
  return (
    <>
      <FormSection title={text('devices.section.periods')}>
        <NumberField
          name="acquisitionIntervalS"
          label={text(FIELD_WORDS.acquisitionIntervalS)}
          help={text('devices.acquisition.help')}
          unit={seconds}
          step={1}
        />
        <NumberField
          name="uploadIntervalS"
          label={text(FIELD_WORDS.uploadIntervalS)}
          unit={seconds}
          step={1}
        />
        <NumberField
          name="offlineAfterMinutes"
          label={text(FIELD_WORDS.offlineAfterMinutes)}
          help={text('devices.offline-after.help')}
          unit={text('commands.minutes.unit')}
          step={1}
        />
        <ZoneField name="timeZone" label={text(FIELD_WORDS.timeZone)} help={text('devices.zone.help')} />
        <DateField name="expiresOn" label={text(FIELD_WORDS.expiresOn)} help={text('devices.expires.help')} />
      </FormSection>
      <FormSection title={text('devices.section.network')}>
        <TextField
          name="gatewayNumber"
          label={text(FIELD_WORDS.gatewayNumber)}
          help={text('devices.gateway.help')}
          inputMode="numeric"
        />
        <TextField name="devEui" label={text(FIELD_WORDS.devEui)} help={text('devices.eui.help')} />
      </FormSection>
    </>
  );
}
