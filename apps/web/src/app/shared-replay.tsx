import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { ReplayLinkPage } from '../features/maps/replay-links/replay-link-page.tsx';
import { readLinkedCurve } from '../features/maps/replay-links/replay-links.queries.ts';
import { LinkedChart } from '../features/telemetry/linked-chart.tsx';

const queries = new QueryClient({ defaultOptions: { queries: { refetchOnWindowFocus: false, retry: 1 } } });

/** The replay of a public link. Loaded on its own, because its map and chart are larger than all other public pages. */
export default function SharedReplay({ token }: { token: string }) {
  return (
    <QueryClientProvider client={queries}>
      <ReplayLinkPage
        token={token}
        chart={(props) => (
          <LinkedChart {...props} id={token} read={(part, signal) => readLinkedCurve(token, part, signal)} />
        )}
      />
    </QueryClientProvider>
  );
}
