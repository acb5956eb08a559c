import './attachments.css';
import {
  ATTACHMENT_NAME,
  type Attachment,
  type AttachmentRoutes,
  MOST_ATTACHMENTS,
} from '@isotherm/contracts/attachments';
import { ASSET_FILE_MAX_BYTES } from '@isotherm/contracts/fields';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call, callForFile } from '../api/client.ts';
import { sizeText } from '../format/size.ts';
import { useViewer } from '../format/viewer.tsx';
import { Button } from '../ui/button.tsx';
import { ConfirmWithReason } from '../ui/confirm-dialog.tsx';
import { Icon } from '../ui/icon.tsx';
import { PermissionButton } from '../ui/permission-button.tsx';
import { openBlob, saveBlob } from '../ui/save-file.ts';
import { toast } from '../ui/toast.tsx';

const MEGABYTE = 1024 * 1024;
const ENDINGS = ['.pdf', '.jpg', '.jpeg', '.png', '.gif'];

/** Rules for the attachments of a kind of record, if they differ from the usual ones. */
export interface AttachmentRules {
  endings?: readonly string[];
  /** Largest number of files. */
  most?: number;
  maxBytes?: number | undefined;
  /** Sentence that says which files can be added. */
  help?: string;
  /** True if the files cannot be changed any more. */
  isFixed?: boolean;
}
const USUAL: AttachmentRules = {};

/**
 * Attachments of a record. They are uploaded and deleted immediately; a file that is too large is refused
 * before the upload.
 */
export function Attachments({
  routes,
  recordId,
  listKey,
  rules = USUAL,
}: {
  routes: AttachmentRoutes;
  recordId: number;
  /** Query key of the list. It is reloaded because it shows the number of attachments. */
  listKey: readonly string[];
  rules?: AttachmentRules;
}) {
  const { text, time } = useViewer();
  const { endings = ENDINGS, most = MOST_ATTACHMENTS, maxBytes = ASSET_FILE_MAX_BYTES } = rules;
  const { help, isFixed = false } = rules;
  const megabytes = Math.round((maxBytes / MEGABYTE) * 10) / 10;
  const queries = useQueryClient();
  const input = useRef<HTMLInputElement>(null);
  const [adding, setAdding] = useState(false);
  const [doomed, setDoomed] = useState<Attachment | null>(null);
  const key = ['attachments', routes.list.name, recordId];
  const params = { id: recordId };
  const { data: files } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => call(routes.list, { params, signal, quiet: true }),
  });
  const again = () => {
    void queries.invalidateQueries({ queryKey: key });
    // Only the list is reloaded, so that the form keeps its input.
    void queries.invalidateQueries({
      queryKey: listKey,
      predicate: (each) => !each.queryKey.includes('one'),
    });
  };
  const bytesOf = async (each: Attachment) =>
    (await callForFile(routes.read, { params: { ...params, file: each.id } })).blob;
  async function add(file: File) {
    if (file.size > maxBytes)
      return toast('failure', text('common.attachments.too-large', { size: megabytes }));
    setAdding(true);
    try {
      const { name } = await call(routes.add, {
        params,
        body: { file, name: file.name.slice(-ATTACHMENT_NAME) },
      });
      again();
      toast('success', text('common.attachments.added', { name }));
    } catch {
      // The API client has already shown the error.
    }
    setAdding(false);
  }
  const edit = routes.add.access;
  return (
    <section className="attachments">
      <div className="attachments-head">
        <h3>{text('common.attachments')}</h3>
        {isFixed ? null : (
          <>
            <span className="small tertiary">
              {help ?? text('common.attachments.help', { size: megabytes })}
            </span>
            <PermissionButton
              permission={edit}
              size="small"
              disabled={adding || (files?.length ?? 0) >= most}
              aria-busy={adding}
              onClick={() => input.current?.click()}
            >
              <Icon name="paper-clip" small />
              {text('common.attachments.add')}
            </PermissionButton>
          </>
        )}
        <input
          ref={input}
          type="file"
          hidden
          aria-label={text('common.attachments.add')}
          accept={endings.join(',')}
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            event.target.value = '';
            if (file) void add(file);
          }}
        />
      </div>
      {files?.length === 0 ? <p className="secondary">{text('common.attachments.none')}</p> : null}
      {files && files.length > 0 ? (
        <ul className="attachments-list" aria-label={text('common.attachments')}>
          {files.map((each) => (
            <li key={each.id}>
              <Button
                variant="quiet"
                size="small"
                className="attachments-name"
                aria-label={text('common.attachments.open', { name: each.name })}
                title={each.name}
                onClick={() => void bytesOf(each).then(openBlob, () => undefined)}
              >
                <span className="ellipsis">{each.name}</span>
              </Button>
              <span className="small secondary attachments-trace">
                {`${time(each.addedAt, 'date-time')} · ${each.addedBy} · ${sizeText(each.sizeBytes)}`}
              </span>
              <Button
                variant="quiet"
                icon
                aria-label={text('common.attachments.download', { name: each.name })}
                onClick={() =>
                  void bytesOf(each).then(
                    (blob) => saveBlob(each.name, blob),
                    () => undefined,
                  )
                }
              >
                <Icon name="download" />
              </Button>
              {isFixed ? null : (
                <PermissionButton
                  permission={edit}
                  variant="quiet"
                  icon
                  aria-label={text('common.attachments.delete', { name: each.name })}
                  onClick={() => setDoomed(each)}
                >
                  <Icon name="bin" />
                </PermissionButton>
              )}
            </li>
          ))}
        </ul>
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('common.attachments.delete.title', { name: doomed.name })}
          confirmLabel={text('common.attachments.delete.confirm')}
          onConfirm={async (reason) => {
            await call(routes.remove, {
              params: { ...params, file: doomed.id },
              body: { reason },
              quiet: true,
            });
            again();
            toast('success', text('common.attachments.deleted', { name: doomed.name }));
          }}
          onClose={() => setDoomed(null)}
        />
      ) : null}
    </section>
  );
}

/** Number of attachments in a list; nothing is shown for zero. */
export function AttachmentCount({ files }: { files: number }) {
  const { text } = useViewer();
  if (files === 0) return null;
  return (
    <span className="secondary attachments-count" title={text('common.attachments.count', { count: files })}>
      <Icon name="paper-clip" small />
      {files}
    </span>
  );
}
