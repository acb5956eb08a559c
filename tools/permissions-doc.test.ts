import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { permissionsPage } from '@isotherm/server/testing/permission-matrix';
import { expect, it } from 'vitest';

it('docs/permissions.md matches the contracts and roles (npm run docs:permissions)', () => {
  const page = readFileSync(fileURLToPath(new URL('../docs/permissions.md', import.meta.url)), 'utf8');
  expect(page).toBe(permissionsPage());
});
