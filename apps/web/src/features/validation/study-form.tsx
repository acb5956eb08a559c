import {
  createValidationStudy,
  studyFields,
  type ValidationStudy,
  wholeStudy,
} from '@isotherm/contracts/validation-studies';
import { STUDY_TYPES } from '@isotherm/domain/assets/validation-study';
import { useQuery } from '@tanstack/react-query';
import { z } from 'zod';
import { AssetField } from '../../shared/assets/asset-field.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { useWhenChanged } from '../../shared/tabs/kept-page.ts';
import { AsyncSelectField, SelectField } from '../../shared/ui/form/choice-fields.tsx';
import { DateField } from '../../shared/ui/form/date-field.tsx';
import { FixedField } from '../../shared/ui/form/field-frame.tsx';
import { useField } from '../../shared/ui/form/form-context.ts';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { MomentField } from '../../shared/ui/form/moment-field.tsx';
import { NumberField, TextAreaField, TextField } from '../../shared/ui/form/text-fields.tsx';
import { studyChannelsQuery, unitSource, useValidationChanges } from './validation.queries.ts';

const created = wholeStudy(
  z.strictObject({ assetId: createValidationStudy.body.shape.assetId, ...studyFields }),
);
const changed = wholeStudy(z.strictObject(studyFields));
const FAULT_FIELDS = {
  'asset.not_found': 'assetId',
  'validation.channel': 'channels',
  'verifier.not_found': 'verifierUnitId',
};

/** Form that plans or edits a validation study. */
export function StudyForm({ study, onClose }: { study: ValidationStudy | undefined; onClose: () => void }) {
  const { text } = useText();
  const changes = useValidationChanges();
  if (!study)
    return (
      <FormDrawer
        wide
        title={text('validations.create.title')}
        submitLabel={text('validations.create')}
        schema={created}
        initial={{ type: 'full', zoneMin: 2, zoneMax: 8, note: '' }}
        submit={(values) => changes.createStudy(values)}
        success={text('validations.saved')}
        faultFields={FAULT_FIELDS}
        onClose={onClose}
      >
        <NewStudy />
      </FormDrawer>
    );
  const { name, type, verifierUnitId, zoneMin, zoneMax, from, to, dueOn, channels, note } = study;
  return (
    <FormDrawer
      wide
      title={text('validations.edit.title')}
      submitLabel={text('common.action.save')}
      schema={changed}
      initial={{
        name,
        type,
        zoneMin,
        zoneMax,
        from,
        to,
        channels,
        note,
        ...(verifierUnitId === null ? {} : { verifierUnitId }),
        ...(dueOn ? { dueOn } : {}),
      }}
      submit={(values) => changes.editStudy(study.id, values)}
      success={text(study.result ? 'validations.saved.again' : 'validations.saved')}
      faultFields={FAULT_FIELDS}
      onClose={onClose}
    >
      <FormSection title={text('validations.asset')}>
        <FixedField label={text('validations.asset')} value={`${study.asset.name} · ${study.asset.code}`} />
      </FormSection>
      <Study assetId={study.asset.id} study={study} />
    </FormDrawer>
  );
}

function NewStudy() {
  const { text } = useText();
  const { value: assetId } = useField<number>('assetId');
  return (
    <>
      <FormSection title={text('validations.asset')}>
        <AssetField name="assetId" wide label={text('validations.asset')} />
      </FormSection>
      <Study assetId={assetId} chooseAll />
    </>
  );
}

function Study({
  assetId,
  study,
  chooseAll = false,
}: {
  assetId: number | undefined;
  study?: ValidationStudy;
  /** If true, all temperature channels of the asset are selected until the user changes the selection. */
  chooseAll?: boolean;
}) {
  const { text } = useText();
  const { data: channels } = useQuery({
    ...studyChannelsQuery(assetId ?? 0),
    enabled: assetId !== undefined,
  });
  const { set } = useField<number[]>('channels');
  // The selection is replaced only when the channels of another asset are loaded.
  useWhenChanged([channels], () => {
    if (chooseAll && channels) set(channels.map((channel) => channel.id));
  });
  return (
    <>
      <FormSection title={text('validations.study')}>
        <TextField name="name" label={text('validations.name')} />
        <SelectField
          name="type"
          label={text('validations.type')}
          options={STUDY_TYPES.map((type) => ({ value: type, label: text(`validations.type.${type}`) }))}
        />
        <NumberField name="zoneMin" label={text('validations.zone-min')} unit="°C" />
        <NumberField name="zoneMax" label={text('validations.zone-max')} unit="°C" />
        <MomentField name="from" label={text('validations.from')} />
        <MomentField name="to" label={text('validations.to')} />
        <AsyncSelectField
          name="verifierUnitId"
          label={text('validations.unit')}
          source={unitSource}
          chosen={
            study?.verifierUnitId == null
              ? undefined
              : { value: study.verifierUnitId, label: study.verifierUnitName ?? '' }
          }
        />
        <DateField name="dueOn" label={text('validations.due-on')} />
      </FormSection>
      <FormSection title={text('validations.channels')}>
        <SelectField
          wide
          multiple
          name="channels"
          label={text('validations.channels')}
          help={text('validations.channels.help')}
          options={(channels ?? study?.channelNames ?? []).map(({ id, name, deviceNumber, serial }) => ({
            value: id,
            label: name,
            hint: `${deviceNumber} · ${serial}`,
          }))}
        />
        <TextAreaField wide name="note" label={text('validations.note')} />
      </FormSection>
    </>
  );
}
