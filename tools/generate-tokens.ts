import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { generatedFiles, readTokens } from './design-tokens.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

for (const [path, text] of Object.entries(generatedFiles(readTokens(ROOT))))
  writeFileSync(`${ROOT}${path}`, text);
