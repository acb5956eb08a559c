import {
  addFirmwareKey,
  FIRMWARE_MAX_BYTES,
  firmwareStatement,
  uploadFirmware,
} from '@isotherm/contracts/firmware';
import { useQuery } from '@tanstack/react-query';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FileField } from '../../../shared/ui/form/file-field.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { modelsQuery } from '../registry/registry.queries.ts';
import { useUpgradeChanges } from './upgrade.queries.ts';

const UPLOAD_FAULTS = {
  'firmware.signature': 'signature',
  'firmware.version_taken': 'version',
  'upload.too_large': 'file',
};
const MEGABYTES = FIRMWARE_MAX_BYTES / 1024 / 1024;

/** Form that uploads a signed firmware file for a model. */
export function FirmwareForm({ onClose }: { onClose: () => void }) {
  const { text } = useText();
  const changes = useUpgradeChanges();
  return (
    <FormDrawer
      title={text('upgrade.upload')}
      submitLabel={text('upgrade.upload')}
      schema={uploadFirmware.body}
      initial={{}}
      submit={async (values) => {
        const { version } = await changes.upload(values);
        toast('success', text('upgrade.upload.done', { version }));
      }}
      faultFields={UPLOAD_FAULTS}
      onClose={onClose}
    >
      <FormSection>
        <ProgramField />
        <ModelField />
        <TextField name="version" label={text('upgrade.version')} help={text('upgrade.version.help')} />
        <OrganizationField label={text('upgrade.organization')} help={text('upgrade.organization.help')} />
        <SignedText />
        <TextField
          name="signature"
          wide
          label={text('upgrade.signature')}
          help={text('upgrade.signature.help')}
        />
        <TextAreaField name="notes" label={text('upgrade.notes')} rows={3} />
      </FormSection>
    </FormDrawer>
  );
}

/** Shows the text that must be signed, filled in from the form. */
function SignedText() {
  const { text } = useText();
  const { value: title } = useField<string>('model');
  const { value: version } = useField<string>('version');
  const { value: file } = useField<File>('file');
  const open = (word: string) => `<${word}>`;
  return (
    <div className="form-wide">
      <p className="form-help">{text('upgrade.signed-text.help')}</p>
      <pre className="upgrade-statement">
        {firmwareStatement({
          title: title || open(text('upgrade.model')),
          version: version || open(text('upgrade.version')),
          size: file?.size ?? open(text('upgrade.signed-text.bytes')),
          checksum: open(text('upgrade.signed-text.checksum')),
        })}
      </pre>
    </div>
  );
}

/** Field for the firmware file. A file that is too large is refused before the upload. */
function ProgramField() {
  const { text } = useText();
  const { set } = useField<File>('file');
  return (
    <FileField
      name="file"
      wide
      label={text('upgrade.file')}
      help={text('upgrade.file.help')}
      accept={[]}
      chooseLabel={text('assets.file.choose')}
      onChosen={(file) => {
        if (file.size <= FIRMWARE_MAX_BYTES) return;
        set(undefined);
        toast('failure', text('assets.file.too-large', { size: MEGABYTES }));
      }}
    />
  );
}

/** Field for a model of the registered devices; a new one can be typed. */
function ModelField() {
  const { text } = useText();
  const { data: models = [] } = useQuery(modelsQuery);
  return (
    <TextField
      name="model"
      label={text('upgrade.model')}
      help={models.slice(0, 10).join(' · ')}
      {...(models[0] ? { placeholder: models[0] } : {})}
    />
  );
}

export function FirmwareKeyForm({ onClose }: { onClose: () => void }) {
  const { text } = useText();
  const changes = useUpgradeChanges();
  return (
    <FormDrawer
      title={text('upgrade.key.add')}
      submitLabel={text('upgrade.key.add')}
      schema={addFirmwareKey.body}
      initial={{}}
      submit={changes.addKey}
      success={text('upgrade.key.add.done')}
      faultFields={{ 'firmware.key': 'publicKey' }}
      onClose={onClose}
    >
      <FormSection>
        <TextField name="name" label={text('upgrade.key.name')} />
        <OrganizationField label={text('upgrade.organization')} help={text('upgrade.organization.help')} />
        <TextAreaField
          name="publicKey"
          label={text('upgrade.key.public')}
          help={text('upgrade.key.public.help')}
          rows={4}
        />
      </FormSection>
    </FormDrawer>
  );
}
