import { useQueryClient } from '@tanstack/react-query';
import { profileQuery } from '../../features/identity/identity.queries.ts';
import { TimeZones } from '../../features/settings/time-zones/time-zones.tsx';

/** Page for the user's time zone, in which the console displays all times. */
export default function TimeZonePage() {
  const queries = useQueryClient();
  return <TimeZones onChanged={() => void queries.invalidateQueries({ queryKey: profileQuery.queryKey })} />;
}
