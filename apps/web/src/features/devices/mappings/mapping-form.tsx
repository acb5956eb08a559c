import './mappings.css';
import { orNone } from '@isotherm/contracts/fields';
import {
  createPayloadMapping,
  editPayloadMapping,
  type PayloadMapping,
  payloadPath,
} from '@isotherm/contracts/payload-mappings';
import { type Mapping, type MappingList, TIME_FORMATS } from '@isotherm/domain/readings/payload-mapping';
import { z } from 'zod';
import { OrganizationField } from '../../../shared/access/organization-field.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FixedField } from '../../../shared/ui/form/field-frame.tsx';
import { useField } from '../../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../../shared/ui/form/form-drawer.tsx';
import { EntriesField } from './entries-field.tsx';
import { draftsOf, type EntryDraft, entriesOf, wholeEntries, withDraft } from './entry-drafts.ts';
import { ListFields } from './list-fields.tsx';
import { useMappingChanges } from './mappings.queries.ts';
import { ModelField } from './model-field.tsx';
import { TemplateField } from './template-field.tsx';
import { TryPayload } from './try-payload.tsx';

const ENTRIES = createPayloadMapping.body.shape.entries;
const NO_CHANNELS: ReadonlySet<string> = new Set();

/** In the form, every part of the list is a separate field; without a path there is no list. */
const formFields = {
  entries: z.preprocess(
    (drafts: EntryDraft[] | undefined) => (Array.isArray(drafts) ? entriesOf(drafts) : undefined),
    ENTRIES,
  ),
  listPath: orNone(payloadPath),
  listTimePath: orNone(payloadPath),
  listTimeFormat: z.enum(TIME_FORMATS).default('seconds'),
};
interface ListParts {
  listPath: string;
  listTimePath: string;
  listTimeFormat: MappingList['timeFormat'];
}
const isWholeList = (form: unknown): boolean => {
  const { listPath, listTimePath } = form as ListParts;
  return (listPath === '') === (listTimePath === '');
};
const newMapping = createPayloadMapping.body
  .omit({ list: true })
  .extend(formFields)
  .refine(isWholeList, { path: ['listTimePath'], error: 'whole-list' });
const changedMapping = editPayloadMapping.body
  .omit({ list: true })
  .extend(formFields)
  .refine(isWholeList, { path: ['listTimePath'], error: 'whole-list' });
const FAULT_FIELDS = { 'mapping.taken': 'deviceModel' };

function listPartsOf(list: MappingList | null): ListParts {
  return {
    listPath: list?.path ?? '',
    listTimePath: list?.timePath ?? '',
    listTimeFormat: list?.timeFormat ?? 'seconds',
  };
}

function withList<F extends ListParts>({ listPath, listTimePath, listTimeFormat, ...form }: F) {
  const isList = listPath !== '' && listTimePath !== '';
  return {
    ...form,
    list: isList ? { path: listPath, timePath: listTimePath, timeFormat: listTimeFormat } : null,
  };
}

/** Initial values of a new mapping. */
export interface MappingStart extends Mapping {
  organizationId: number;
  deviceModel: string;
}

/** A payload name for which an entry is to be added, and the channels of the device that sent it. */
export interface MappingAddition {
  path: string;
  channels: ReadonlySet<string>;
}

/** Form that creates or edits a payload mapping. */
export function MappingForm({
  mapping,
  start,
  addition,
  onClose,
}: {
  mapping: PayloadMapping | undefined;
  start?: MappingStart | undefined;
  addition?: MappingAddition | undefined;
  onClose: () => void;
}) {
  const { text } = useText();
  const changes = useMappingChanges();
  const given = mapping ?? start;
  const drafts = draftsOf(given?.entries ?? []);
  const channels = addition?.channels ?? NO_CHANNELS;
  const contents = {
    deviceModel: given?.deviceModel ?? '',
    entries: addition ? withDraft(drafts, addition.path, channels) : given ? drafts : withDraft([]),
    ...listPartsOf(given?.list ?? null),
  };
  if (mapping)
    return (
      <FormDrawer
        wide
        title={text('mappings.edit.title')}
        submitLabel={text('common.action.save')}
        schema={changedMapping}
        initial={contents}
        submit={(values) => changes.edit(mapping.id, withList(changedMapping.parse(values)))}
        success={text('mappings.saved')}
        faultFields={FAULT_FIELDS}
        onClose={onClose}
      >
        <FormSection title={text('mappings.section.devices')}>
          <FixedField label={text('mappings.organization')} value={mapping.organizationName} />
          <ModelField name="deviceModel" />
        </FormSection>
        <EntriesSections channels={channels} />
      </FormDrawer>
    );
  return (
    <FormDrawer
      wide
      title={text('mappings.create.title')}
      submitLabel={text('mappings.create')}
      schema={newMapping}
      initial={start ? { organizationId: start.organizationId, ...contents } : contents}
      submit={(values) => changes.create(withList(newMapping.parse(values)))}
      success={text('mappings.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection title={text('mappings.section.devices')}>
        <OrganizationField label={text('mappings.organization')} help={text('mappings.organization.help')} />
        <ModelField name="deviceModel" />
      </FormSection>
      <EntriesSections channels={channels} />
    </FormDrawer>
  );
}

function EntriesSections({ channels }: { channels: ReadonlySet<string> }) {
  const { text } = useText();
  const { value: drafts = [], set } = useField<EntryDraft[]>('entries');
  return (
    <>
      <FormSection title={text('mappings.entries')}>
        <TemplateField />
        <p className="form-wide form-help">{text('mappings.entries.help')}</p>
        <EntriesField name="entries" entryRule={ENTRIES} />
      </FormSection>
      <FormSection title={text('mappings.list')}>
        <ListFields />
      </FormSection>
      <FormSection title={text('mappings.try')}>
        <TryPayload
          entries={wholeEntries(drafts)}
          list={useList()}
          onAdd={(path) =>
            // If there is an empty entry, the new entry replaces it.
            set(
              withDraft(
                drafts.filter((each) => each.path !== '' || each.indicator !== undefined),
                path,
                channels,
              ),
            )
          }
        />
      </FormSection>
    </>
  );
}

/** Returns the list as entered; null while it is incomplete. */
function useList(): MappingList | null {
  const { value: path = '' } = useField<string>('listPath');
  const { value: timePath = '' } = useField<string>('listTimePath');
  const { value: timeFormat = 'seconds' } = useField<MappingList['timeFormat']>('listTimeFormat');
  const parts = { path: path.trim(), timePath: timePath.trim(), timeFormat };
  const isWhole = payloadPath.safeParse(path).success && payloadPath.safeParse(timePath).success;
  return isWhole ? parts : null;
}
