import type { AssetRecord } from '@isotherm/contracts/asset-registry';
import { assetForms } from '@isotherm/contracts/asset-registry';
import { ASSET_TYPES, type AssetKind, VOLUME_UNITS } from '@isotherm/domain/assets/asset-kind';
import { type TextId, textId } from '@isotherm/i18n/text-id';
import { EN_RULE } from '../../../shared/format/number.ts';
import type { Text } from '../../../shared/i18n/use-text.ts';

/** Names of the form's fields; `organizationId` is displayed as the organisation's name. */
export type AssetFieldName = Exclude<
  keyof AssetRecord,
  'id' | 'kind' | 'organizationName' | 'status' | 'devices' | 'createdAt' | 'deletedAt' | 'version'
>;

interface AssetField {
  name: AssetFieldName;
  control: 'text' | 'number' | 'switch' | 'type' | 'zone' | 'organization';
  help?: TextId;
}

/**
 * Fields of all asset kinds in the order of the form. The schema of a kind determines which of them it has.
 */
const SECTIONS: readonly { title: TextId; fields: readonly AssetField[] }[] = [
  {
    title: 'assets.section.identity',
    fields: [
      { name: 'name', control: 'text' },
      { name: 'code', control: 'text' },
      { name: 'plate', control: 'text' },
      { name: 'type', control: 'type' },
      { name: 'organizationId', control: 'organization' },
      { name: 'materialCode', control: 'text' },
      { name: 'nationalCode', control: 'text' },
    ],
  },
  {
    title: 'assets.section.origin',
    fields: [
      { name: 'manufacturer', control: 'text' },
      { name: 'brand', control: 'text' },
      { name: 'model', control: 'text' },
      { name: 'factoryNumber', control: 'text' },
      { name: 'purchaseSource', control: 'text' },
    ],
  },
  {
    title: 'assets.section.features',
    fields: [
      { name: 'size', control: 'text', help: 'assets.size.help' },
      { name: 'volume', control: 'number' },
      { name: 'dualPower', control: 'switch' },
      { name: 'dualCompressor', control: 'switch' },
    ],
  },
  {
    title: 'assets.section.place',
    fields: [
      { name: 'place', control: 'text' },
      { name: 'timeZone', control: 'zone' },
      { name: 'latitude', control: 'number' },
      { name: 'longitude', control: 'number' },
    ],
  },
];

/** Returns the fields of an asset kind by section. */
export function sectionsOf(kind: AssetKind) {
  const { shape } = assetForms[kind];
  return SECTIONS.map(({ title, fields }) => ({ title, fields: fields.filter(({ name }) => name in shape) }));
}

/** Returns the unit of a numeric field, if it has one. */
export function unitOfField(name: AssetFieldName, kind: AssetKind): string | undefined {
  if (name === 'volume') return VOLUME_UNITS[kind];
  return name === 'latitude' || name === 'longitude' ? '°' : undefined;
}

export function typesOf(kind: AssetKind): readonly string[] {
  return kind in ASSET_TYPES ? ASSET_TYPES[kind as keyof typeof ASSET_TYPES] : [];
}

/** Returns the value of a field as text. */
export function fieldText(record: AssetRecord, name: AssetFieldName, text: Text): string {
  if (name === 'organizationId') return record.organizationName;
  const value = record[name];
  if (value === '' || value === null) return EN_RULE;
  if (typeof value === 'boolean') return text(value ? 'logs.value.yes' : 'logs.value.no');
  if (name === 'type') return text(textId(`assets.type.${value}`));
  const unit = unitOfField(name, record.kind);
  return unit ? `${value} ${unit}` : String(value);
}

/** Returns the initial form values of a record. */
export function formValuesOf(record: AssetRecord): Record<string, unknown> {
  const names = sectionsOf(record.kind).flatMap(({ fields }) => fields.map(({ name }) => name));
  return Object.fromEntries([
    ['kind', record.kind],
    // Unknown numbers and choices are left out, so that the form requires them.
    ...names.flatMap((name) => {
      const value = record[name];
      return value === null || (name === 'type' && value === '') ? [] : [[name, value] as const];
    }),
  ]);
}

/** Returns the names of the fields that differ between two states of a form. */
export function changedFields(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): AssetFieldName[] {
  const plain = (value: unknown) => (value === undefined || value === null ? '' : value);
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])] as AssetFieldName[];
  return names.filter((name) => plain(before[name]) !== plain(after[name]));
}
