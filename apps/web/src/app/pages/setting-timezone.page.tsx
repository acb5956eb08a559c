import { useQueryClient } from '@tanstack/react-query';
import { profileQuery } from '../../features/identity/identity.queries.ts';
import { TimeZones } from '../../features/settings/time-zones/time-zones.tsx';

/** The user's time zone, which all times in the console follow. */
export default function TimeZonePage() {
  const queries = useQueryClient();
  return <TimeZones onChanged={() => void queries.invalidateQueries({ queryKey: profileQuery.queryKey })} />;
}
