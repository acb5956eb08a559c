import { lazy, Suspense } from 'react';
import { Navigate, useParams } from 'react-router';
import { TripChart } from '../../features/telemetry/trip-chart.tsx';
import { WaybillPage } from '../../features/waybills/waybills/waybill-page.tsx';

const TripMap = lazy(() => import('../../features/maps/trips/trip-map.tsx'));

/** Page of one waybill, at the address `/waybill/list/:id`. */
export default function WaybillDetailPage() {
  const id = Number(useParams().id);
  // An address without a number is another page that the user may not see.
  if (!Number.isSafeInteger(id) || id <= 0) return <Navigate to="/404" replace />;
  return (
    <WaybillPage
      key={id}
      id={id}
      map={(shown) => (
        <Suspense fallback={<div className="skeleton waybill-trip-map" />}>
          <TripMap {...shown} />
        </Suspense>
      )}
      chart={(leg, shown) => (
        <TripChart channels={leg.channels} switches={leg.switches} range={leg} {...shown} />
      )}
    />
  );
}
