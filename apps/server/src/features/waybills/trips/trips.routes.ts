import { getTrip, handOverTrip, listTrips, readWaybillPhoto } from '@isotherm/contracts/waybill-trips';
import type { Mount } from '../../../platform/http/mount.ts';
import type { TripsService } from './trips.service.ts';

export function mountTrips(mount: Mount, trips: TripsService): void {
  mount(listTrips, ({ caller }) => trips.list(caller));
  mount(getTrip, ({ caller, params }) => trips.get(caller, params.id));
  mount(handOverTrip, ({ caller, params, body }) => {
    const photos = [body.photo1, body.photo2, body.photo3, body.photo4, body.photo5];
    return trips.handOver(
      caller,
      params.id,
      body.handover,
      photos.flatMap((photo) => (photo ? [photo.bytes] : [])),
    );
  });
  mount(readWaybillPhoto, ({ caller, params }) => trips.photo(caller, params.id, params.photo));
}
