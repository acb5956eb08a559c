import { useRouteError } from 'react-router';
import { FailureNotice } from '../../shared/ui/notice.tsx';

/** A page that broke leaves the shell standing. */
export function PageFault() {
  return <FailureNotice error={useRouteError()} retry={() => location.reload()} />;
}
