import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { permissionsPage } from '@isotherm/server/testing/permission-matrix';

writeFileSync(fileURLToPath(new URL('../docs/permissions.md', import.meta.url)), permissionsPage());
