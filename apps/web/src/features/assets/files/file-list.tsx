import { type AssetFile, listAssetFiles } from '@isotherm/contracts/asset-files';
import { FILE_KINDS } from '@isotherm/domain/assets/asset-file';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { usePermission } from '../../../shared/access/permissions.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { AssetDialog } from '../../../shared/assets/asset-dialog.tsx';
import { EN_RULE } from '../../../shared/format/number.ts';
import { sizeText } from '../../../shared/format/size.ts';
import { dayText } from '../../../shared/format/time.ts';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { useGo } from '../../../shared/tabs/use-go.ts';
import { ConfirmWithReason } from '../../../shared/ui/confirm-dialog.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { ListPage } from '../../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn, ListFilter } from '../../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../../shared/ui/permission-button.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { FileDrawer } from './file-drawer.tsx';
import { FileUploadForm, FileVersionForm } from './file-form.tsx';
import { FILES_KEY, fileQuery, useFileChanges } from './files.queries.ts';

const source = pagesOf(listAssetFiles);

function columnsFor({ text, time }: Viewer, ofOne: boolean): ListColumn<AssetFile>[] {
  const today = new Date(serverNow()).toISOString().slice(0, 10);
  const asset: ListColumn<AssetFile> = {
    key: 'asset',
    title: text('assets.file.asset'),
    maxWidth: 220,
    render: ({ assetName }) => assetName,
  };
  return [
    {
      key: 'name',
      title: text('assets.file.name'),
      sortable: true,
      pinned: true,
      maxWidth: 280,
      render: ({ name }) => name,
    },
    ...(ofOne ? [] : [asset]),
    {
      key: 'kind',
      title: text('assets.file.kind'),
      render: ({ kind }) => text(`assets.file.kind.${kind}`),
    },
    {
      key: 'validUntil',
      title: text('assets.file.valid-until'),
      sortable: true,
      render: ({ validUntil }) =>
        validUntil === '' ? (
          EN_RULE
        ) : validUntil < today ? (
          <span className="tag">{`${dayText(validUntil)} · ${text('assets.file.due.expired')}`}</span>
        ) : (
          dayText(validUntil)
        ),
    },
    {
      key: 'version',
      title: text('assets.file.version'),
      align: 'end',
      render: ({ number }) => number,
    },
    {
      key: 'size',
      title: text('assets.file.size'),
      align: 'end',
      render: ({ sizeBytes }) => sizeText(sizeBytes),
    },
    {
      key: 'uploadedAt',
      title: text('assets.file.uploaded'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ uploadedAt, uploadedBy }) => (
        <span className="secondary">{`${time(uploadedAt, 'date-time')} · ${uploadedBy}`}</span>
      ),
    },
  ];
}

/** Documents of all assets, or on the page of an asset only its own. */
export function FileList({ assetId }: { assetId?: number }) {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useFileChanges();
  const mayEdit = usePermission('asset-files:edit');
  const [doomed, setDoomed] = useState<AssetFile | null>(null);
  const ofOne = assetId !== undefined;
  const columns = useMemo(() => columnsFor(viewer, ofOne), [viewer, ofOne]);
  const filters = useFilters();
  const open = Number(params.get('file')) || null;
  const { data } = useQuery({ ...fileQuery(open ?? 0), enabled: open !== null });
  const shown = data?.id === open ? data : undefined;
  const go = useGo();
  const add = (
    <PermissionButton
      permission="asset-files:edit"
      variant="primary"
      onClick={() => change({ upload: 1 }, 'push')}
    >
      <Icon name="plus" />
      {text('assets.file.add')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name={ofOne ? 'asset-documents' : 'asset-files'}
        embedded={ofOne}
        {...(ofOne ? { fixed: { assetId: String(assetId) } } : {})}
        actions={add}
        title={text('menu.asset-files')}
        purpose={text('assets.file.purpose')}
        source={source}
        queryKey={FILES_KEY}
        columns={columns}
        rowKey={(file) => file.id}
        rowName={(file) => file.name}
        searchLabel={text('assets.file.search')}
        defaultSort={{ sort: 'uploadedAt', order: 'desc' }}
        filters={filters}
        onOpen={(file) => change({ file: file.id }, 'push')}
        empty={{
          title: text('assets.file.empty.title'),
          reason: text('assets.file.empty.reason'),
          action: add,
        }}
      />
      {params.get('upload') && mayEdit ? (
        ofOne ? (
          <FileUploadForm assetId={assetId} onClose={() => change({ upload: null })} />
        ) : (
          <AssetDialog
            onTake={({ id }) => go(`/asset/${id}?tab=files&upload=1`)}
            onClose={() => change({ upload: null })}
          />
        )
      ) : null}
      {shown && params.get('version') && mayEdit ? (
        <FileVersionForm file={shown} onClose={() => change({ version: null })} />
      ) : null}
      {shown && !params.get('version') ? (
        <FileDrawer
          file={shown}
          onAddVersion={() => change({ version: 1 }, 'push')}
          onDelete={() => setDoomed(shown)}
          onClose={() => change({ file: null })}
        />
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('assets.file.delete.title', { name: doomed.name })}
          confirmLabel={text('assets.file.delete')}
          onConfirm={async (reason) => {
            // The drawer is closed first, so that it does not request the deleted document again.
            change({ file: null });
            await changes.remove(doomed.id, reason);
            toast('success', text('assets.file.delete.done', { name: doomed.name }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('assets.file.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}

function useFilters(): ListFilter[] {
  const { text } = useText();
  return useMemo(
    () => [
      {
        keys: ['kind'],
        label: text('assets.file.kind'),
        options: FILE_KINDS.map((kind) => ({ value: kind, label: text(`assets.file.kind.${kind}`) })),
      },
      {
        keys: ['due'],
        label: text('assets.file.due'),
        options: (['expired', 'soon'] as const).map((due) => ({
          value: due,
          label: text(`assets.file.due.${due}`),
        })),
      },
    ],
    [text],
  );
}
