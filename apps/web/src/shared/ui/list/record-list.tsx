import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { usePagePermission } from '../../access/permissions.ts';
import { ConfirmWithReason } from '../confirm-dialog.tsx';
import { Icon } from '../icon.tsx';
import { PermissionButton } from '../permission-button.tsx';
import { toast } from '../toast.tsx';
import { useUrlState } from '../use-url-state.ts';
import { ListPage, type ListPageProps } from './list-page.tsx';
import type { Page, RowActions } from './list-types.ts';

/** Largest page of a list. */
const MOST_ROWS = 200;

type Own = 'rowKey' | 'rowName' | 'onOpen' | 'rowActions' | 'empty' | 'actions';

export interface RecordListProps<Item extends { id: number }, Data extends Page<Item>>
  extends Omit<ListPageProps<Item, Data>, Own> {
  /** Permission that is needed to create, edit and delete. */
  permission: string;
  /** Parameter of the address that contains the open record. */
  param: string;
  /** Loads the stored record. Absent if the row contains all its data. */
  load?: (id: number, signal: AbortSignal) => Promise<Item>;
  nameOf: (item: Item) => string;
  words: { create: string; edit: string; remove: string };
  empty: { title: string; reason: string };
  /** Buttons before the button that creates a record. */
  moreActions?: ReactNode;
  /** True if the record can be viewed, but neither edited nor deleted, such as one of an organisation above. */
  isFixed?: (item: Item) => boolean;
  /** Actions in the menu of a row before *Edit*, for those who may edit. */
  moreRowActions?: RowActions<Item>;
  /** Renders the form for the given record, or for a new one. */
  form: (item: Item | undefined, close: () => void) => ReactNode;
  /**
   * Renders the read-only view for users without the permission. If it offers `edit`, all users see it
   * first.
   */
  view?: (item: Item, close: () => void, edit: () => void) => ReactNode;
  viewFirst?: boolean;
  removal: {
    title: (name: string) => string;
    means: (item: Item) => string;
    done: (name: string) => string;
    run: (item: Item, reason: string) => Promise<unknown>;
  };
}

/**
 * List of records that users edit: the list, a drawer or form for the open record, a form for a new one, and
 * deletion with a reason. The address contains the open record.
 */
export function RecordList<Item extends { id: number }, Data extends Page<Item>>({
  permission,
  param,
  load,
  nameOf,
  words,
  empty,
  moreActions,
  isFixed = () => false,
  moreRowActions,
  form,
  view,
  viewFirst = false,
  removal,
  ...list
}: RecordListProps<Item, Data>) {
  const [params, change] = useUrlState();
  const { state: editing } = usePagePermission(permission);
  const mayEdit = editing === 'held';
  const [row, setRow] = useState<Item | null>(null);
  const [doomed, setDoomed] = useState<Item | null>(null);
  const open = Number(params.get(param)) || null;
  const clicked = row && row.id === open ? row : undefined;
  const { source, defaultSort } = list;
  /** Finds the record of an address that was opened anew or shared, among the first rows of the list. */
  async function findRow(id: number, signal: AbortSignal): Promise<Item | null> {
    const { items } = await source.load({ ...defaultSort, page: 1, pageSize: MOST_ROWS, search: '' }, signal);
    return items.find((item) => item.id === id) ?? null;
  }
  const { data } = useQuery({
    queryKey: [...list.queryKey, 'one', open],
    queryFn: ({ signal }) => (load ?? findRow)(open ?? 0, signal),
    enabled: open !== null && (load !== undefined || clicked === undefined),
    // A form must start with the stored record, not with a cached one.
    gcTime: 0,
  });
  const known = load ? data : (clicked ?? data);
  const shown = known && known.id === open ? known : undefined;
  const close = () => change({ [param]: null, new: null, do: null });
  const openOne = (item: Item, more: Record<string, string> = {}) => {
    setRow(item);
    change({ [param]: item.id, ...more }, 'push');
  };
  const edit = (item: Item) => openOne(item, viewFirst ? { do: 'edit' } : {});
  const isForm =
    mayEdit && (!viewFirst || params.get('do') === 'edit') && !(shown !== undefined && isFixed(shown));
  const backToView = () => change({ do: null });
  const create = (
    <PermissionButton permission={permission} variant="primary" onClick={() => change({ new: 1 }, 'push')}>
      <Icon name="plus" />
      {words.create}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        {...list}
        rowKey={(item) => item.id}
        rowName={nameOf}
        {...(view || mayEdit ? { onOpen: (item: Item) => openOne(item) } : {})}
        actions={
          <>
            {moreActions}
            {create}
          </>
        }
        rowActions={(item) =>
          mayEdit
            ? [
                ...(moreRowActions?.(item) ?? []),
                ...(isFixed(item)
                  ? []
                  : [
                      { key: 'edit', label: words.edit, onClick: () => edit(item) },
                      { key: 'delete', danger: true, label: words.remove, onClick: () => setDoomed(item) },
                    ]),
              ]
            : []
        }
        empty={{ ...empty, action: create }}
      />
      {params.get('new') && mayEdit ? form(undefined, close) : null}
      {shown && isForm ? (
        <Fragment key={shown.id}>{form(shown, viewFirst ? backToView : close)}</Fragment>
      ) : null}
      {shown && !isForm && editing !== 'unknown' ? view?.(shown, close, () => change({ do: 'edit' })) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={removal.title(nameOf(doomed))}
          confirmLabel={words.remove}
          onConfirm={async (reason) => {
            await removal.run(doomed, reason);
            toast('success', removal.done(nameOf(doomed)));
          }}
          onClose={() => setDoomed(null)}
        >
          {removal.means(doomed)}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
