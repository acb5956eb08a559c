import type { Alarm, AlarmGroupView } from '@isotherm/contracts/alarms';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useViewer } from '../../shared/format/viewer.tsx';
import { Button } from '../../shared/ui/button.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { LevelGlyph } from '../../shared/ui/level-glyph.tsx';
import { useNarrow } from '../../shared/ui/use-narrow.ts';
import { AlarmRowCards } from './alarm-row-cards.tsx';
import { AlarmTable } from './alarm-table.tsx';
import { alarmGroupsQuery } from './alarms.queries.ts';

/** Number of groups that are shown before the user asks for all. */
const FEW = 3;

/**
 * Groups of several alarms with a common cause, the worst first, above the list of alarms. Each can be expanded and
 * acknowledged as a whole. Shows nothing if there is no such group.
 */
export function AlarmGroups({
  query,
  onOpen,
  onAcknowledge,
}: {
  query: Parameters<typeof alarmGroupsQuery>[0];
  onOpen: (alarm: Alarm) => void;
  /** Undefined if the user may not acknowledge alarms. */
  onAcknowledge: ((group: AlarmGroupView) => void) | undefined;
}) {
  const { text } = useViewer();
  const { data } = useQuery(alarmGroupsQuery(query));
  const [showsAll, setShowsAll] = useState(false);
  const groups = data?.groups.filter(({ ids }) => ids.length > 1) ?? [];
  if (groups.length === 0) return null;
  return (
    <section className="panel alarm-groups" aria-label={text('alarms.groups')}>
      <h2>{text('alarms.groups')}</h2>
      <ul>
        {(showsAll ? groups : groups.slice(0, FEW)).map((group) => (
          <Group
            key={`${group.cause} ${group.siteId} ${group.source} ${group.firstAt}`}
            group={group}
            onOpen={onOpen}
            onAcknowledge={onAcknowledge}
          />
        ))}
      </ul>
      {groups.length > FEW && !showsAll ? (
        <Button variant="link" onClick={() => setShowsAll(true)}>
          {text('alarms.groups.all', { count: groups.length })}
        </Button>
      ) : null}
      {data?.limited ? <p className="small tertiary">{text('alarms.groups.limited')}</p> : null}
    </section>
  );
}

function Group({
  group,
  onOpen,
  onAcknowledge,
}: {
  group: AlarmGroupView;
  onOpen: (alarm: Alarm) => void;
  onAcknowledge: ((group: AlarmGroupView) => void) | undefined;
}) {
  const { text, time } = useViewer();
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  const { cause, source, site, ids, worst, highestLevel, firstAt, unacknowledged } = group;
  const title = text(`alarms.cause.${cause}`, { source, site });
  return (
    <li>
      <div className="alarm-group-head">
        <LevelGlyph level={highestLevel} />
        <button
          type="button"
          className="alarm-group-name"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
        >
          <span className="strong">{title}</span>
          <span className="secondary">
            {text('alarms.group.summary', {
              count: ids.length,
              level: highestLevel,
              time: time(firstAt, 'day-time'),
            })}
          </span>
          <Icon name={isOpen ? 'down' : 'right'} small />
        </button>
        {unacknowledged.length > 0 ? (
          onAcknowledge ? (
            <Button
              size="small"
              aria-label={text('alarms.group.acknowledge-of', { count: unacknowledged.length, name: title })}
              onClick={() => onAcknowledge(group)}
            >
              {text('alarms.group.acknowledge', { count: unacknowledged.length })}
            </Button>
          ) : null
        ) : (
          <span className="secondary">{text('alarms.view.acknowledged')}</span>
        )}
      </div>
      {isOpen ? (
        <>
          {isNarrow ? (
            <AlarmRowCards alarms={worst} onOpen={onOpen} />
          ) : (
            <AlarmTable withAssets alarms={worst} onOpen={onOpen} />
          )}
          {ids.length > worst.length ? (
            <p className="small tertiary">
              {text('alarms.group.more', { count: ids.length - worst.length })}
            </p>
          ) : null}
        </>
      ) : null}
    </li>
  );
}
