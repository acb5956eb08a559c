import { listWebcams, WEBCAMS_SHOWN, type Webcam } from '@isotherm/contracts/webcams';
import { WEBCAM_KINDS } from '@isotherm/domain/assets/webcam';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useOrganizations } from '../../../shared/access/organizations.ts';
import { usePermission } from '../../../shared/access/permissions.ts';
import { EN_RULE } from '../../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter, ListView } from '../../../shared/ui/list/list-types.ts';
import { organizationFilter } from '../../../shared/ui/list/organization-filter.tsx';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { SnapshotPicture } from './snapshots.tsx';
import { WebcamDrawer } from './webcam-drawer.tsx';
import { WebcamForm } from './webcam-form.tsx';
import { WebcamState } from './webcam-state.tsx';
import { useWebcamChanges, WEBCAMS_KEY, webcamQuery } from './webcams.queries.ts';

const source = pagesOf(listWebcams);

function columnsFor({ text, time }: Viewer): ListColumn<Webcam>[] {
  return [
    {
      key: 'name',
      title: text('webcams.name'),
      sortable: true,
      pinned: true,
      maxWidth: 260,
      render: ({ name }) => name,
    },
    {
      key: 'picture',
      title: text('webcams.picture'),
      render: ({ snapshotId, snapshotAt, name }) =>
        snapshotId && snapshotAt ? (
          <div className="webcam-thumbnail">
            <SnapshotPicture
              id={snapshotId}
              alt={text('webcams.snapshot.of', { name, time: time(snapshotAt, 'date-time') })}
            />
          </div>
        ) : (
          EN_RULE
        ),
    },
    {
      key: 'state',
      title: text('webcams.state'),
      maxWidth: 280,
      render: (webcam) => <WebcamState webcam={webcam} />,
    },
    {
      key: 'asset',
      title: text('webcams.asset'),
      maxWidth: 220,
      render: ({ assetName }) => assetName || EN_RULE,
    },
    { key: 'kind', title: text('webcams.kind'), render: ({ kind }) => text(`webcams.kind.${kind}`) },
    {
      key: 'organizationName',
      title: text('users.organization'),
      sortable: true,
      maxWidth: 220,
      render: ({ organizationName }) => <span className="secondary">{organizationName}</span>,
    },
    {
      key: 'checkedAt',
      title: text('webcams.checked'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ checkedAt }) => (
        <span className="secondary">{checkedAt ? time(checkedAt, 'date-time') : EN_RULE}</span>
      ),
    },
  ];
}

/** List of cameras with their latest snapshot and state; a camera opens in a drawer. */
export function WebcamList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useWebcamChanges();
  const mayEdit = usePermission('asset-webcams:edit');
  const organizations = useOrganizations();
  const [doomed, setDoomed] = useState<Webcam | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const views = useMemo<ListView[]>(
    () =>
      WEBCAMS_SHOWN.map((shown) => ({ key: shown, label: text(`webcams.shown.${shown}`), query: { shown } })),
    [text],
  );
  const filters = useMemo<ListFilter[]>(
    () => [
      organizationFilter(text, organizations),
      {
        keys: ['kind'],
        label: text('webcams.kind'),
        options: WEBCAM_KINDS.map((kind) => ({ value: kind, label: text(`webcams.kind.${kind}`) })),
      },
    ],
    [text, organizations],
  );
  const open = Number(params.get('webcam')) || null;
  const { data } = useQuery({ ...webcamQuery(open ?? 0), enabled: open !== null });
  const shown = data?.id === open ? data : undefined;
  const add = (
    <PermissionButton
      permission="asset-webcams:edit"
      variant="primary"
      onClick={() => change({ new: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('webcams.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        embedded
        name="asset-webcams"
        title={text('menu.asset-webcams')}
        purpose={text('webcams.purpose')}
        actions={add}
        source={source}
        queryKey={WEBCAMS_KEY}
        columns={columns}
        rowKey={(webcam) => webcam.id}
        rowName={(webcam) => webcam.name}
        searchLabel={text('webcams.search')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        views={views}
        filters={filters}
        onOpen={(webcam) => change({ webcam: webcam.id }, 'push')}
        empty={{ title: text('webcams.empty.title'), reason: text('webcams.empty.reason'), action: add }}
      />
      {params.get('new') && mayEdit ? <WebcamForm onClose={() => change({ new: null })} /> : null}
      {shown && params.get('edit') && mayEdit ? (
        <WebcamForm webcam={shown} onClose={() => change({ edit: null })} />
      ) : null}
      {shown && !params.get('edit') ? (
        <WebcamDrawer
          webcam={shown}
          onEdit={() => change({ edit: 1 }, 'push')}
          onDelete={() => setDoomed(shown)}
          onClose={() => change({ webcam: null })}
        />
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('webcams.delete.title', { name: doomed.name })}
          confirmLabel={text('webcams.delete')}
          onConfirm={async (reason) => {
            // The drawer is closed first, so that it does not request the deleted camera again.
            change({ webcam: null });
            await changes.remove(doomed.id, reason);
            toast('success', text('webcams.deleted', { name: doomed.name }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('webcams.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
