import { getRecordReport } from '@isotherm/contracts/reports';
import { queryOptions } from '@tanstack/react-query';
import { call } from '../../shared/api/client.ts';

export interface RecordRange {
  from: string;
  to: string;
}

/** Statistics of the channels of assets in a range. */
export function recordReportQuery(assets: readonly number[], range: RecordRange | null) {
  return queryOptions({
    queryKey: ['reports', 'records', assets.join(','), range],
    queryFn: ({ signal }) =>
      call(getRecordReport, { query: { assets: assets.join(','), ...range }, signal, quiet: true }),
    enabled: assets.length > 0 && range !== null,
    staleTime: 60_000,
  });
}
