import { fileURLToPath } from 'node:url';
import { ERRORS } from '@isotherm/contracts/errors';
import { checkBoundaries } from './check-boundaries.ts';
import { checkEngines } from './check-engines.ts';
import { checkEnvironment } from './check-environment.ts';
import { checkI18n } from './check-i18n.ts';
import { checkRequirementsCoverage } from './check-requirements-coverage.ts';
import { checkTableOwners } from './check-table-owners.ts';
import { checkWords } from './check-words.ts';
import { TABLE_OWNERS } from './table-owners.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

const GUARDS: Record<string, () => string[] | Promise<string[]>> = {
  boundaries: () => checkBoundaries(ROOT),
  'table-owners': () => checkTableOwners(ROOT, TABLE_OWNERS),
  i18n: () => checkI18n(ROOT, Object.keys(ERRORS)),
  environment: () => checkEnvironment(ROOT),
  engines: () => checkEngines(ROOT),
  words: () => checkWords(ROOT),
  'requirements-coverage': () => checkRequirementsCoverage(ROOT),
};

// One line of JSON for tools/check.mjs: each guard with what it found.
const findings: Record<string, string[]> = {};
for (const [name, guard] of Object.entries(GUARDS)) findings[name] = await guard();
console.log(JSON.stringify(findings));
