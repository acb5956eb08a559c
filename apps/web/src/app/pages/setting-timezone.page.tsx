import { useQueryClient } from '@tanstack/react-query';
import { profileQuery } from '../../features/identity/identity.queries.ts';
import { TimeZones } from '../../features/settings/time-zones/time-zones.tsx';

/** The own time zone; every time on every page follows it. */
export default function TimeZonePage() {
  const queries = useQueryClient();
  return <TimeZones onChanged={() => void queries.invalidateQueries({ queryKey: profileQuery.queryKey })} />;
}
