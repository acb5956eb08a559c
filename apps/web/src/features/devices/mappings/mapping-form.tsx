import './mappings.css';
import {
  createPayloadMapping,
  editPayloadMapping,
  type PayloadMapping,
} from '@isotherm/contracts/payload-mappings';
import { z } from 'zod';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FixedField } from '../../../shared/ui/form/field-frame.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { EntriesField } from './entries-field.tsx';
import { draftsOf, type EntryDraft, entriesOf, wholeEntries, withDraft } from './entry-drafts.ts';
import { useMappingChanges } from './mappings.queries.ts';
import { ModelField } from './model-field.tsx';
import { TryPayload } from './try-payload.tsx';

const ENTRIES = createPayloadMapping.body.shape.entries;
const entries = z.preprocess(
  (drafts: EntryDraft[] | undefined) => (Array.isArray(drafts) ? entriesOf(drafts) : undefined),
  ENTRIES,
);
const newMapping = createPayloadMapping.body.extend({ entries });
const changedMapping = editPayloadMapping.body.extend({ entries });
const FAULT_FIELDS = { 'mapping.taken': 'deviceModel' };

/** Creates or edits a payload mapping. */
export function MappingForm({
  mapping,
  onClose,
}: {
  mapping: PayloadMapping | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useMappingChanges();
  if (mapping)
    return (
      <FormDrawer
        wide
        title={text('mappings.edit.title')}
        submitLabel={text('common.action.save')}
        schema={changedMapping}
        initial={{ deviceModel: mapping.deviceModel, entries: draftsOf(mapping.entries) }}
        submit={(values) => changes.edit(mapping.id, changedMapping.parse(values))}
        success={text('mappings.saved')}
        faultFields={FAULT_FIELDS}
        onClose={onClose}
      >
        <FormSection title={text('mappings.section.devices')}>
          <FixedField label={text('mappings.organization')} value={mapping.organizationName} />
          <ModelField name="deviceModel" />
        </FormSection>
        <EntriesSections />
      </FormDrawer>
    );
  return (
    <FormDrawer
      wide
      title={text('mappings.create.title')}
      submitLabel={text('mappings.create')}
      schema={newMapping}
      initial={{ deviceModel: '', entries: withDraft([]) }}
      submit={(values) => changes.create(newMapping.parse(values))}
      success={text('mappings.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection title={text('mappings.section.devices')}>
        <OrganizationField label={text('mappings.organization')} help={text('mappings.organization.help')} />
        <ModelField name="deviceModel" />
      </FormSection>
      <EntriesSections />
    </FormDrawer>
  );
}

function EntriesSections() {
  const { text } = useText();
  const { value: drafts = [], set } = useField<EntryDraft[]>('entries');
  return (
    <>
      <FormSection title={text('mappings.entries')}>
        <p className="form-wide form-help">{text('mappings.entries.help')}</p>
        <EntriesField name="entries" entryRule={ENTRIES} />
      </FormSection>
      <FormSection title={text('mappings.try')}>
        <TryPayload
          entries={wholeEntries(drafts)}
          onAdd={(path) =>
            // An empty entry is replaced.
            set(
              withDraft(
                drafts.filter((each) => each.path !== '' || each.indicator !== undefined),
                path,
              ),
            )
          }
        />
      </FormSection>
    </>
  );
}
