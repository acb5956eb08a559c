import { useRouteError } from 'react-router';
import { FailureNotice } from '../../shared/ui/notice.tsx';

/** Error boundary of a page: the shell stays usable. */
export function PageFault() {
  return <FailureNotice error={useRouteError()} retry={() => location.reload()} />;
}
