import { type DeviceDetail, type DeviceInput, deviceInput } from '@isotherm/contracts/device-registry';
import { currentZone } from '@isotherm/contracts/time-zones';
import type { TextId } from '@isotherm/i18n/text-id';
import { textId } from '@isotherm/i18n/text-id';
import { EN_RULE } from '../../../shared/format/number.ts';
import type { Text } from '../../../shared/i18n/use-text.ts';
import type { ConflictRow } from '../../../shared/ui/edit-conflict.tsx';

/** Returns the form values of a device. */
export function draftOf(device: DeviceDetail): DeviceInput {
  return {
    name: device.name,
    type: device.type,
    model: device.model,
    serial: device.serial,
    gatewayNumber: device.gatewayNumber ?? '',
    devEui: device.devEui ?? '',
    timeZone: currentZone(device.timeZone),
    expiresOn: device.expiresOn,
    offlineAfterMinutes: device.offlineAfterMinutes,
    acquisitionIntervalS: device.acquisitionIntervalS,
    uploadIntervalS: device.uploadIntervalS,
  };
}

export const FIELD_WORDS: Readonly<Record<keyof DeviceInput, TextId>> = {
  name: 'devices.name',
  type: 'devices.type',
  model: 'devices.model',
  serial: 'devices.serial',
  gatewayNumber: 'devices.gateway',
  devEui: 'devices.eui',
  timeZone: 'devices.zone',
  expiresOn: 'devices.expires',
  offlineAfterMinutes: 'devices.offline-after',
  acquisitionIntervalS: 'devices.acquisition',
  uploadIntervalS: 'devices.upload',
};
const FIELDS = Object.keys(FIELD_WORDS) as (keyof DeviceInput)[];

/** Applies the user's changes to the stored version. Other fields keep the values of the other editor. */
export function mergeEdits(begun: DeviceInput, mine: DeviceInput, stored: DeviceInput): DeviceInput {
  const changed = FIELDS.filter((field) => mine[field] !== begun[field]);
  return { ...stored, ...Object.fromEntries(changed.map((field) => [field, mine[field]])) };
}

/** Returns the fields in which the form differs from the stored version. */
export function conflictRows(merged: DeviceInput, stored: DeviceInput, text: Text): ConflictRow[] {
  const words = (field: keyof DeviceInput, value: DeviceInput[keyof DeviceInput]) =>
    field === 'type' ? text(textId(`devices.type.${value}`)) : String(value ?? '') || EN_RULE;
  return FIELDS.filter((field) => merged[field] !== stored[field]).map((field) => ({
    label: text(FIELD_WORDS[field]),
    stored: words(field, stored[field]),
    mine: words(field, merged[field]),
  }));
}

/** Returns the input with the defaults of the contract. */
export const completed = (values: unknown): DeviceInput => deviceInput.parse(values);
