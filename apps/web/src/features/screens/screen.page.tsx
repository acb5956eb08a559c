import { createScreen, listScreens, newTile, type Screen } from '@isotherm/contracts/screens';
import { FIRST_PAGE } from '@isotherm/domain/screens/layout';
import { useMemo, useRef, useState } from 'react';
import { OrganizationField } from '../../shared/access/organization-field.tsx';
import { usePermission } from '../../shared/access/permissions.ts';
import { integer } from '../../shared/format/number.ts';
import { useViewer, type Viewer } from '../../shared/format/viewer.tsx';
import { useGo } from '../../shared/tabs/use-go.ts';
import { ConfirmWithReason } from '../../shared/ui/confirm-dialog.tsx';
import { FormDrawer, FormSection } from '../../shared/ui/form/form-drawer.tsx';
import { TextField } from '../../shared/ui/form/text-fields.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { ListPage } from '../../shared/ui/list/list-page.tsx';
import { pagesOf } from '../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../shared/ui/list/list-types.ts';
import { PermissionButton } from '../../shared/ui/permission-button.tsx';
import { toast } from '../../shared/ui/toast.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { SCREENS_KEY, useScreenChanges } from './screens.queries.ts';

const EDIT = 'screen:edit';
const source = pagesOf(listScreens);
const NEW_FIELDS = createScreen.body.pick({ organizationId: true, name: true });

function columnsFor({ text, time, language }: Viewer): ListColumn<Screen>[] {
  return [
    {
      key: 'name',
      title: text('screens.name'),
      sortable: true,
      pinned: true,
      maxWidth: 280,
      render: ({ name }) => <span className="strong">{name}</span>,
    },
    {
      key: 'organization',
      title: text('screens.organization'),
      maxWidth: 240,
      render: ({ organizationName }) => organizationName,
    },
    {
      key: 'pages',
      title: text('screens.pages'),
      align: 'end',
      render: ({ pages }) => <span className="number">{integer(language, pages.length)}</span>,
    },
    {
      key: 'links',
      title: text('screens.links'),
      align: 'end',
      render: ({ links }) => <span className="number">{integer(language, links.length)}</span>,
    },
    {
      key: 'service',
      title: text('screens.service'),
      render: ({ service }) => <span className="tag">{text(`premium.state.${service}`)}</span>,
    },
    {
      key: 'changedAt',
      title: text('screens.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: ({ changedAt, changedBy }) => (
        <span className="secondary">{`${time(changedAt, 'date-time')} · ${changedBy}`}</span>
      ),
    },
  ];
}

/** List of the smart screens, each of which opens in its editor. */
export default function ScreenListPage() {
  const viewer = useViewer();
  const { text } = viewer;
  const go = useGo();
  const [params, change] = useUrlState();
  const mayEdit = usePermission(EDIT);
  const changes = useScreenChanges();
  const [doomed, setDoomed] = useState<Screen | null>(null);
  const made = useRef<Screen | null>(null);
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  const create = (
    <PermissionButton permission={EDIT} variant="primary" onClick={() => change({ new: 1 }, 'push')}>
      <Icon name="plus" />
      {text('screens.create')}
    </PermissionButton>
  );
  return (
    <>
      <ListPage
        name="screen"
        title={text('menu.screen')}
        purpose={text('screens.purpose')}
        source={source}
        queryKey={SCREENS_KEY}
        columns={columns}
        rowKey={({ id }) => id}
        rowName={({ name }) => name}
        searchLabel={text('screens.name')}
        defaultSort={{ sort: 'name', order: 'asc' }}
        actions={create}
        onOpen={({ id }) => go(`/screen/${id}`)}
        rowActions={(item) =>
          mayEdit
            ? [
                {
                  key: 'delete',
                  danger: true,
                  label: text('screens.delete'),
                  onClick: () => setDoomed(item),
                },
              ]
            : []
        }
        empty={{ title: text('screens.empty'), reason: text('screens.empty-reason'), action: create }}
      />
      {params.get('new') && mayEdit ? (
        <FormDrawer
          title={text('screens.create')}
          submitLabel={text('screens.create')}
          schema={NEW_FIELDS}
          initial={{}}
          faultFields={{ 'organization.not_found': 'organizationId' }}
          submit={async (values) => {
            made.current = await changes.create({
              ...NEW_FIELDS.parse(values),
              pages: [{ tiles: FIRST_PAGE.map(newTile) }],
              pageSeconds: 30,
              dim: null,
            });
          }}
          onDone={() => go(`/screen/${made.current?.id}`)}
          onClose={() => change({ new: null })}
        >
          <FormSection>
            <TextField name="name" label={text('screens.name')} />
            <OrganizationField label={text('screens.organization')} />
          </FormSection>
        </FormDrawer>
      ) : null}
      {doomed ? (
        <ConfirmWithReason
          weight="reason"
          grave
          title={text('screens.delete.title', { name: doomed.name })}
          confirmLabel={text('screens.delete')}
          onConfirm={async (reason) => {
            await changes.remove(doomed.id, reason);
            toast('success', text('screens.deleted', { name: doomed.name }));
          }}
          onClose={() => setDoomed(null)}
        >
          {text('screens.delete.means')}
        </ConfirmWithReason>
      ) : null}
    </>
  );
}
