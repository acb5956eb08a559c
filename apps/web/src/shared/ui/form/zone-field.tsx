import { useZoneOptions } from '../../format/zones.ts';
import { SelectField } from './choice-fields.tsx';
import type { FieldProps } from './field-frame.tsx';

/** Field for a time zone, found by its city in the user's language, its name or its offset. */
export function ZoneField(props: FieldProps & { placeholder?: string }) {
  return <SelectField {...props} options={useZoneOptions()} />;
}
