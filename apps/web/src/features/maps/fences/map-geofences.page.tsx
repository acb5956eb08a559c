import '../maps.css';
import './fences.css';
import { FENCE_FORMATS } from '@isotherm/domain/geo/fence-files';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { PageTabs } from '../../../shared/ui/detail-page.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ImportDialog } from '../../../shared/ui/import-dialog.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { FenceEvents } from './fence-events.tsx';
import { FENCES_KEY, saveFences, uploadFences } from './fences.queries.ts';
import { FencesMap } from './fences-map.tsx';

/** Page of the geofences and of what assets did at them. */
export default function GeofencesPage() {
  const { text } = useText();
  const [params, change] = useUrlState();
  const { mutate, isPending } = useMutation({ mutationFn: () => saveFences(params.get('q') ?? '') });
  return (
    <div className="page">
      <PageHead title={text('menu.map-geofences')} purpose={text('geofences.purpose')}>
        <PermissionButton permission="map-geofences:export" disabled={isPending} onClick={() => mutate()}>
          <Icon name="download" />
          {text('geofences.export')}
        </PermissionButton>
        <PermissionButton permission="map-geofences:import" onClick={() => change({ import: 1 }, 'push')}>
          {text('common.action.import')}
        </PermissionButton>
        <PermissionButton
          permission="map-geofences:edit"
          variant="primary"
          onClick={() => change({ new: 1, fence: null, do: null, tab: null }, 'push')}
        >
          <Icon name="plus" />
          {text('geofences.create')}
        </PermissionButton>
      </PageHead>
      <PageTabs
        tabs={[
          { key: 'fences', label: text('menu.map-geofences'), content: () => <FencesMap /> },
          { key: 'events', label: text('geofences.events'), content: () => <FenceEvents /> },
        ]}
      />
      <FenceImport />
    </div>
  );
}

/** Import of geofences for the user's own organisation. */
function FenceImport() {
  const { text } = useText();
  const [params, change] = useUrlState();
  const queries = useQueryClient();
  const mayImport = usePermission('map-geofences:import');
  const [own] = useOrganizations().nodes;
  if (params.get('import') !== '1' || !mayImport || !own) return null;
  return (
    <ImportDialog
      title={text('geofences.import.title')}
      help={text('geofences.import.help')}
      extensions={FENCE_FORMATS}
      onImport={(form) => uploadFences(form, own.id)}
      onDone={() => void queries.invalidateQueries({ queryKey: FENCES_KEY })}
      onClose={() => change({ import: null })}
    />
  );
}
