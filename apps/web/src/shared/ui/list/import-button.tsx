import type { encodedFile, ImportForm, ImportReport } from '@isotherm/contracts/batches';
import type { ResponseOf, RouteContract } from '@isotherm/contracts/route';
import { type QueryKey, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { usePermission } from '../../access/permissions.ts';
import { call } from '../../api/client.ts';
import { useText } from '../../i18n/use-text.ts';
import { ImportDialog } from '../import-dialog.tsx';
import { PermissionButton } from '../permission-button.tsx';
import { saveFile } from '../save-file.ts';
import { useUrlState } from '../use-url-state.ts';
import type { FilterValues } from './list-types.ts';

/** Contract of a route that imports a spreadsheet. */
type ImportRoute = RouteContract<z.ZodType, z.ZodType, z.ZodObject, z.ZodType<ImportReport>>;
/** Contract of a route that returns the template of an import. */
type TemplateRoute = RouteContract<z.ZodType, z.ZodType, z.ZodType, typeof encodedFile>;

/** An import that a list offers. The route determines the required permission. */
export interface Importing {
  route: ImportRoute;
  template: TemplateRoute;
  title: string;
  help: string;
  /** Value of the parameter `import` in the address while the dialog is open; `1` by default. */
  name?: string;
  /** Label of the button; “Import” by default. */
  label?: string;
  /** Key of further queries that are reloaded after an import. */
  refreshes?: QueryKey;
  /** Handles additional data in the response, such as new keys. */
  onReport?: (report: ResponseOf<ImportRoute>) => void;
}

const nameOf = (importing: Importing) => importing.name ?? '1';

export function ImportButton({ importing }: { importing: Importing }) {
  const { text } = useText();
  const [, change] = useUrlState();
  return (
    <PermissionButton
      permission={importing.route.access}
      onClick={() => change({ import: nameOf(importing) }, 'push')}
    >
      {importing.label ?? text('common.action.import')}
    </PermissionButton>
  );
}

/**
 * Import dialog that opens if the address names it. Fixed fields of the list that the route accepts, such as
 * the kind of asset, are sent along.
 */
export function ImportOfAddress({
  importing,
  queryKey,
  fixed = {},
}: {
  importing: Importing;
  queryKey: QueryKey;
  fixed?: FilterValues | undefined;
}) {
  const [params, change] = useUrlState();
  const queries = useQueryClient();
  const mayImport = usePermission(importing.route.access);
  const { route, template, refreshes = queryKey } = importing;
  if (params.get('import') !== nameOf(importing) || !mayImport) return null;
  async function saveTemplate() {
    const { fileName, content } = await call(template, { query: fieldsOf(template.query, fixed) });
    saveFile(fileName, content);
  }
  async function upload(form: ImportForm) {
    const report = await call(route, { body: { ...form, ...fieldsOf(route.body, fixed) }, quiet: true });
    importing.onReport?.(report);
    return report;
  }
  return (
    <ImportDialog
      title={importing.title}
      help={importing.help}
      onTemplate={saveTemplate}
      onImport={upload}
      onDone={() => void queries.invalidateQueries({ queryKey: refreshes })}
      onClose={() => change({ import: null })}
    />
  );
}

function fieldsOf(schema: z.ZodType, fixed: FilterValues): Record<string, string> {
  const known = schema instanceof z.ZodObject ? schema.shape : {};
  return Object.fromEntries(Object.entries(fixed).filter(([name]) => name in known));
}
