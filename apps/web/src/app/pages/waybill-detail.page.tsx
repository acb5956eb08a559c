import { Navigate, useParams } from 'react-router';
import { TripChart } from '../../features/telemetry/trip-chart.tsx';
import { WaybillPage } from '../../features/waybills/waybills/waybill-page.tsx';

/** Page of one waybill, at the address `/waybill/list/:id`. */
export default function WaybillDetailPage() {
  const id = Number(useParams().id);
  // An address without a number is another page that the user may not see.
  if (!Number.isSafeInteger(id) || id <= 0) return <Navigate to="/404" replace />;
  return (
    <WaybillPage
      key={id}
      id={id}
      chart={(leg, { low, high }) => <TripChart channels={leg.channels} range={leg} low={low} high={high} />}
    />
  );
}
