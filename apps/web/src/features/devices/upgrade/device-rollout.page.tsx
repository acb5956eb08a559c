import { useQuery } from '@tanstack/react-query';
import { Navigate, useParams } from 'react-router';
import { useCrumbTitle } from '../../../shared/tabs/use-crumb-title.ts';
import { FailureNotice } from '../../../shared/ui/notice.tsx';
import { PageSkeleton } from '../../../shared/ui/page-skeleton.tsx';
import { RolloutPage } from './rollout-page.tsx';
import { rolloutQuery } from './upgrade.queries.ts';

export default function DeviceRolloutPage() {
  const id = Number(useParams().id);
  const isNumber = Number.isSafeInteger(id) && id > 0;
  const { data, error, refetch } = useQuery({ ...rolloutQuery(id), enabled: isNumber });
  useCrumbTitle(data && `${data.model} ${data.version}`);
  if (!isNumber) return <Navigate to="/404" replace />;
  if (data) return <RolloutPage rollout={data} />;
  return error ? <FailureNotice error={error} retry={() => void refetch()} /> : <PageSkeleton />;
}
