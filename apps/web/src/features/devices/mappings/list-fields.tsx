import { TIME_FORMATS } from '@isotherm/domain/readings/payload-mapping';
import { useText } from '../../../shared/i18n/use-text.ts';
import { SelectField } from '../../../shared/ui/form/choice-fields.tsx';
import { TextField } from '../../../shared/ui/form/text-fields.tsx';

/**
 * Fields for a list of earlier measurements in a payload: the path of the list, and path and format of the
 * time in each element.
 */
export function ListFields() {
  const { text } = useText();
  return (
    <>
      <p className="form-wide form-help">{text('mappings.list.help')}</p>
      <TextField name="listPath" label={text('mappings.list.path')} placeholder="history" />
      <TextField name="listTimePath" label={text('mappings.list.time-path')} placeholder="timestamp" />
      <SelectField
        name="listTimeFormat"
        label={text('mappings.list.time-format')}
        options={TIME_FORMATS.map((value) => ({ value, label: text(`mappings.list.time-format.${value}`) }))}
      />
    </>
  );
}
