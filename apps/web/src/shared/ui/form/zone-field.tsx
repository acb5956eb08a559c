import { useZoneOptions } from '../../format/zones.ts';
import { SelectField } from './choice-fields.tsx';
import type { FieldProps } from './field-frame.tsx';

/** A time zone, found by its city in the reader's language, its name or its offset. */
export function ZoneField(props: FieldProps & { placeholder?: string }) {
  return <SelectField {...props} options={useZoneOptions()} />;
}
