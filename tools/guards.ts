import { fileURLToPath } from 'node:url';
import { ERRORS } from '@isotherm/contracts/errors';
import { checkBoundaries } from './check-boundaries.ts';
import { checkButtons } from './check-buttons.ts';
import { checkClasses } from './check-classes.ts';
import { checkDistribution } from './check-distribution.ts';
import { checkEngines } from './check-engines.ts';
import { checkEnvironment } from './check-environment.ts';
import { checkGlossary } from './check-glossary.ts';
import { checkI18n } from './check-i18n.ts';
import { checkLockFile } from './check-lock-file.ts';
import { checkRequirementsCoverage } from './check-requirements-coverage.ts';
import { checkSpreads } from './check-spreads.ts';
import { checkStyles } from './check-styles.ts';
import { checkTableOwners } from './check-table-owners.ts';
import { checkTextIds } from './check-text-ids.ts';
import { checkWords } from './check-words.ts';
import { checkTokens, readTokens } from './design-tokens.ts';
import { ALONE_IN_STATEMENT, KEYED_BY_CHANNEL } from './distributed-tables.ts';
import { TABLE_OWNERS } from './table-owners.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');

const GUARDS: Record<string, () => string[] | Promise<string[]>> = {
  boundaries: () => checkBoundaries(ROOT),
  'table-owners': () => checkTableOwners(ROOT, TABLE_OWNERS),
  distribution: () => checkDistribution(ROOT, ALONE_IN_STATEMENT, KEYED_BY_CHANNEL),
  i18n: () => checkI18n(ROOT, Object.keys(ERRORS)),
  glossary: () => checkGlossary(ROOT),
  'text-ids': () => checkTextIds(ROOT),
  environment: () => checkEnvironment(ROOT),
  engines: () => checkEngines(ROOT),
  'lock-file': () => checkLockFile(ROOT),
  spreads: () => checkSpreads(ROOT),
  words: () => checkWords(ROOT),
  buttons: () => checkButtons(ROOT),
  classes: () => checkClasses(ROOT),
  tokens: () => checkTokens(ROOT),
  styles: () => checkStyles(ROOT, Object.values(readTokens(ROOT).breakpoint)),
  'requirements-coverage': () => checkRequirementsCoverage(ROOT),
};

// Prints one line of JSON for tools/check.mjs: the findings of each guard (static check of the project).
const findings: Record<string, string[]> = {};
for (const [name, guard] of Object.entries(GUARDS)) findings[name] = await guard();
console.log(JSON.stringify(findings));
