import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from 'react-router';
import { profileQuery } from '../../features/identity/identity.queries.ts';
import { HandoverPage } from '../../features/waybills/trips/handover-page.tsx';

/** Page that the QR code of a printed waybill opens, at the address `/waybill/trips/:id`. */
export default function WaybillHandoverPage() {
  const id = Number(useParams().id);
  const { data } = useQuery(profileQuery);
  // An address without a number is another page that the user may not see.
  if (!Number.isSafeInteger(id) || id <= 0) return <Navigate to="/404" replace />;
  return <HandoverPage key={id} id={id} person={data?.realname || data?.username || ''} />;
}
