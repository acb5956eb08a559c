import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { TEXT_IDS, textIdsSource } from './check-text-ids.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

writeFileSync(`${ROOT}${TEXT_IDS}`, textIdsSource(ROOT));
