import type { Alarm } from '@isotherm/contracts/alarms';
import { tripWords } from '@isotherm/i18n/trip-words';
import { Link } from 'react-router';
import { usePermission } from '../../shared/access/permissions.ts';
import { useText } from '../../shared/i18n/use-text.ts';

/** The shipments that the asset carried when the alarm was raised, with their legs. */
export function AlarmTrips({ trips }: { trips: NonNullable<Alarm['trips']> }) {
  const { text } = useText();
  const seesWaybills = usePermission('waybill-list:view');
  return trips.map((trip) => (
    <span key={trip.waybillId} className="alarm-trip">
      {seesWaybills ? (
        <Link to={`/waybill/list/${trip.waybillId}`}>{tripWords([trip], text)}</Link>
      ) : (
        tripWords([trip], text)
      )}
    </span>
  ));
}
