import { type AssetFile, addFileVersion, uploadAssetFile } from '@isotherm/contracts/asset-files';
import { ASSET_FILE_MAX_BYTES } from '@isotherm/contracts/fields';
import { FILE_KINDS } from '@isotherm/domain/assets/asset-file';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { FileField } from '../../../shared/ui/form/file-field.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { TextAreaField, TextField } from '../../../shared/ui/form/text-fields.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useFileChanges } from './files.queries.ts';

const ENDINGS = ['.pdf', '.jpg', '.jpeg', '.png', '.gif'];
const FAULT_FIELDS = { 'upload.format': 'file', 'upload.too_large': 'file', 'upload.unreadable': 'file' };
const MEGABYTES = ASSET_FILE_MAX_BYTES / 1024 / 1024;

/** Form that adds a document to an asset. */
export function FileUploadForm({ assetId, onClose }: { assetId: number; onClose: () => void }) {
  const { text } = useText();
  const changes = useFileChanges();
  return (
    <FormDrawer
      title={text('assets.file.add')}
      submitLabel={text('assets.file.add')}
      schema={uploadAssetFile.body}
      initial={{ kind: 'certificate' }}
      submit={async (values) => {
        const { name } = await changes.upload(assetId, values);
        toast('success', text('assets.file.saved', { name }));
      }}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <DocumentField naming />
        <TextField name="name" wide label={text('assets.file.name')} />
        <SelectField
          name="kind"
          label={text('assets.file.kind')}
          options={FILE_KINDS.map((kind) => ({ value: kind, label: text(`assets.file.kind.${kind}`) }))}
        />
        <Validity />
      </FormSection>
    </FormDrawer>
  );
}

/** Form that adds a newer version of a document. */
export function FileVersionForm({ file, onClose }: { file: AssetFile; onClose: () => void }) {
  const { text } = useText();
  const changes = useFileChanges();
  return (
    <FormDrawer
      title={text('assets.file.add-version')}
      submitLabel={text('assets.file.add-version')}
      schema={addFileVersion.body}
      initial={{ validUntil: file.validUntil }}
      submit={async (values) => {
        const { name } = await changes.addVersion(file.id, values);
        toast('success', text('assets.file.saved', { name }));
      }}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection>
        <DocumentField />
        <Validity />
      </FormSection>
    </FormDrawer>
  );
}

/** Field for a file. A file that is too large is refused before the upload; the server checks its type. */
function DocumentField({ naming = false }: { naming?: boolean }) {
  const { text } = useText();
  const { value: name, set: setName } = useField<string>('name');
  const { set: setFile } = useField<File>('file');
  return (
    <FileField
      name="file"
      wide
      label={text('assets.file.file')}
      help={text('assets.file.file.help', { size: MEGABYTES })}
      accept={ENDINGS}
      chooseLabel={text('assets.file.choose')}
      onChosen={(file) => {
        if (file.size > ASSET_FILE_MAX_BYTES) {
          setFile(undefined);
          toast('failure', text('assets.file.too-large', { size: MEGABYTES }));
        } else if (naming && !name) setName(file.name.replace(/\.[^.]*$/, ''));
      }}
    />
  );
}

function Validity() {
  const { text } = useText();
  return (
    <>
      <TextField
        name="validUntil"
        label={text('assets.file.valid-until')}
        help={text('assets.file.valid-until.help')}
        placeholder="2027-01-31"
      />
      <TextAreaField name="note" label={text('assets.file.note')} />
    </>
  );
}
