import '../settings.css';
import { getTimeZone, setTimeZone } from '@isotherm/contracts/account';
import { currentZone } from '@isotherm/contracts/time-zones';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { call } from '../../../shared/api/client.ts';
import { serverNow } from '../../../shared/api/clock.ts';
import { useTicking } from '../../../shared/format/now.ts';
import { formatTime, offsetName, zoneOffsetMinutes } from '../../../shared/format/time.ts';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { useZoneCity, zoneName } from '../../../shared/format/zones.ts';
import { Button } from '../../../shared/ui/button.tsx';
import { FilterBox } from '../../../shared/ui/filter-box.tsx';
import { useGrowingList } from '../../../shared/ui/growing-list.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../../shared/ui/notice.tsx';
import { PageHead } from '../../../shared/ui/page-head.tsx';
import { toast } from '../../../shared/ui/toast.tsx';
import { useUrlState } from '../../../shared/ui/use-url-state.ts';
import { nearestFirst } from './nearest-first.ts';
import { nextZoneChange } from './zone-change.ts';

const KEY = ['settings', 'time-zone'] as const;
/** Number of rows that are drawn at first, and added on demand. Computing the next clock change takes some time per zone. */
const GROW_BY = 40;

/** Removes accents, so that `Bogota` finds Bogotá. */
function plain(text: string): string {
  return zoneName(text).normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

/** The user's time zone, in which all times are shown, and a list of all zones to choose from. */
export function TimeZones({ onChanged }: { onChanged: () => void }) {
  const { text, zone: shownZone } = useViewer();
  const queries = useQueryClient();
  const [params, change] = useUrlState();
  const { data, error, refetch } = useQuery({
    queryKey: KEY,
    queryFn: ({ signal }) => call(getTimeZone, { signal, quiet: true }),
  });
  const choose = useMutation({
    mutationFn: (code: string) => call(setTimeZone, { body: { code } }),
    onSuccess: () => {
      toast('success', text('settings.time-zone.updated'));
      void queries.invalidateQueries({ queryKey: KEY });
      onChanged();
    },
  });
  const search = params.get('q') ?? '';
  const own = currentZone(data?.code || shownZone);
  const cityOf = useZoneCity();
  const found = useMemo(
    () =>
      nearestFirst(data?.zones ?? [], own).filter(
        ({ code, offset }) =>
          plain(`${cityOf(code)} ${code}`).includes(plain(search)) ||
          offsetName(offset).toLowerCase().includes(plain(search)),
      ),
    [data, own, search, cityOf],
  );
  const { shown, more } = useGrowingList(found, GROW_BY, search);
  return (
    <div className="page">
      <PageHead title={text('menu.setting-timezone')} purpose={text('settings.time-zone.purpose')} />
      {error && !data ? <FailureNotice error={error} retry={() => void refetch()} /> : null}
      {data ? (
        <>
          <section className="panel zone-own">
            <Icon name="clock" />
            <div>
              <h2>
                {cityOf(own)} <span className="small tertiary">{zoneName(own)}</span>
              </h2>
              <ZoneNow zone={own} />
            </div>
            <ZoneNext zone={own} />
          </section>
          <section className="panel">
            <div className="zone-tools">
              <FilterBox
                value={search}
                placeholder={text('settings.time-zone.search')}
                onChange={(q) => change({ q })}
              />
              <span className="small tertiary end">
                {text('settings.time-zone.count', { count: found.length })}
              </span>
            </div>
            {found.length === 0 ? (
              <Notice icon="search" title={text('common.list.no-result')} />
            ) : (
              <table className="plain-table">
                <thead>
                  <tr>
                    <th scope="col">{text('settings.time-zone.zone')}</th>
                    <th scope="col">{text('settings.time-zone.now')}</th>
                    <th scope="col">{text('settings.time-zone.next')}</th>
                    <th scope="col">
                      <span className="visually-hidden">{text('settings.time-zone.use')}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {shown.map(({ code }) => (
                    <tr key={code} aria-current={code === own ? 'true' : undefined}>
                      <td>
                        <span className="strong">{cityOf(code)}</span>{' '}
                        <span className="small tertiary zone-code">{zoneName(code)}</span>
                      </td>
                      <td>
                        <ZoneNow zone={code} />
                      </td>
                      <td>
                        <ZoneNext zone={code} />
                      </td>
                      <td className="plain-table-end">
                        {code === own ? (
                          <span className="tag">{text('settings.time-zone.own')}</span>
                        ) : (
                          <Button
                            size="small"
                            aria-label={text('settings.time-zone.use-named', { zone: code })}
                            disabled={choose.isPending}
                            onClick={() => choose.mutate(code)}
                          >
                            {text('settings.time-zone.use')}
                          </Button>
                        )}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
            {more}
          </section>
        </>
      ) : null}
    </div>
  );
}

function ZoneNow({ zone }: { zone: string }) {
  const { language } = useViewer();
  const now = useTicking((at) => formatTime(at, 'date-time', language, zone));
  const offset = useTicking((at) => offsetName(zoneOffsetMinutes(zone, at)));
  return (
    <span className="number">
      {now} <span className="tertiary">{offset}</span>
    </span>
  );
}

/** The next clock change of a zone. It matters because a repeated or missing hour appears in every report. */
function ZoneNext({ zone }: { zone: string }) {
  const { text, language } = useViewer();
  const next = useMemo(() => nextZoneChange(zone, serverNow(), zoneOffsetMinutes), [zone]);
  return (
    <span className="small secondary zone-next">
      {next
        ? text('settings.time-zone.changes', {
            at: formatTime(next.at, 'date-time', language, zone),
            offset: offsetName(next.offset),
          })
        : text('settings.time-zone.steady')}
    </span>
  );
}
