import { listPayloadMappings, type PayloadMapping } from '@isotherm/contracts/payload-mappings';
import { useMemo } from 'react';
import { useViewer, type Viewer } from '../../../shared/format/viewer.tsx';
import { Button } from '../../../shared/ui/button.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { pagesOf } from '../../../shared/ui/list/list-source.ts';
import type { ListColumn } from '../../../shared/ui/list/list-types.ts';
import { RecordList } from '../../../shared/ui/list/record-list.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { ConnectDrawer } from './connect-drawer.tsx';
import { MappingForm } from './mapping-form.tsx';
import { MappingView } from './mapping-view.tsx';
import { loadMapping, MAPPINGS_KEY, useMappingChanges } from './mappings.queries.ts';

const source = pagesOf(listPayloadMappings);
/** Number of entries of a mapping that the list shows. */
const SHOWN_ENTRIES = 3;

function columnsFor({ text, time }: Viewer): ListColumn<PayloadMapping>[] {
  return [
    {
      key: 'deviceModel',
      title: text('mappings.model'),
      sortable: true,
      pinned: true,
      maxWidth: 240,
      render: (each) => each.deviceModel || text('mappings.model.every'),
    },
    {
      key: 'organizationName',
      title: text('mappings.organization'),
      sortable: true,
      maxWidth: 240,
      render: (each) => <span className="secondary">{each.organizationName}</span>,
    },
    {
      key: 'entries',
      title: text('mappings.entries'),
      maxWidth: 480,
      render: ({ entries }) => {
        const rest = entries.length - SHOWN_ENTRIES;
        return (
          <span title={entries.map(({ path, channel }) => `${path} → ${channel}`).join('\n')}>
            {entries.slice(0, SHOWN_ENTRIES).map(({ path, channel }, at) => (
              <span key={channel}>
                {at > 0 ? <span className="tertiary"> · </span> : null}
                <code>{path}</code> <span className="tertiary">→</span> {channel}
              </span>
            ))}
            {rest > 0 ? (
              <span className="tertiary"> {text('mappings.more-entries', { count: rest })}</span>
            ) : null}
          </span>
        );
      },
    },
    { key: 'devices', title: text('mappings.devices'), align: 'end', render: (each) => each.devices },
    {
      key: 'changedAt',
      title: text('mappings.changed'),
      sortable: true,
      firstOrder: 'desc',
      render: (each) => (
        <span className="secondary">{`${time(each.changedAt, 'date-time')} · ${each.changedBy}`}</span>
      ),
    },
  ];
}

/** Page of the payload mappings. A mapping assigns the names in third-party payloads to channels. */
export default function MappingList() {
  const viewer = useViewer();
  const { text } = viewer;
  const [params, change] = useUrlState();
  const changes = useMappingChanges();
  const columns = useMemo(() => columnsFor(viewer), [viewer]);
  return (
    <>
      <RecordList
        name="device-mappings"
        title={text('menu.device-mappings')}
        purpose={text('mappings.purpose')}
        permission="device-mappings:edit"
        param="mapping"
        source={source}
        queryKey={MAPPINGS_KEY}
        load={loadMapping}
        columns={columns}
        nameOf={(each) => each.deviceModel || text('mappings.model.every')}
        searchLabel={text('mappings.search')}
        defaultSort={{ sort: 'deviceModel', order: 'asc' }}
        words={{
          create: text('mappings.create'),
          edit: text('mappings.edit'),
          remove: text('mappings.delete'),
        }}
        empty={{ title: text('mappings.empty.title'), reason: text('mappings.empty.reason') }}
        moreActions={
          <Button onClick={() => change({ connect: 1 }, 'push')}>
            <Icon name="info" />
            {text('mappings.connect')}
          </Button>
        }
        form={(mapping, close) => <MappingForm mapping={mapping} onClose={close} />}
        view={(mapping, close) => <MappingView mapping={mapping} onClose={close} />}
        removal={{
          title: (name) => text('mappings.delete.title', { name }),
          means: ({ devices }) => text('mappings.delete.means', { count: devices }),
          done: (name) => text('mappings.delete.done', { name }),
          run: ({ id }, reason) => changes.remove(id, reason),
        }}
      />
      {params.get('connect') ? <ConnectDrawer onClose={() => change({ connect: null })} /> : null}
    </>
  );
}
