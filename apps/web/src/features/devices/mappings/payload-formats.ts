import type { PayloadFormat } from '@isotherm/contracts/payload-mappings';
import type { Text } from '../../../shared/i18n/use-text.ts';

const GATEWAY = 'thingsboard-gateway';

/** Product names, the same in every language. */
const NAMES: Readonly<Record<Exclude<PayloadFormat, typeof GATEWAY>, string>> = {
  thingsboard: 'ThingsBoard',
  chirpstack: 'ChirpStack',
  'things-stack': 'The Things Stack',
  efento: 'Efento',
};

export function formatName(format: PayloadFormat, text: Text): string {
  return format === GATEWAY ? text('mappings.format.gateway') : NAMES[format];
}
