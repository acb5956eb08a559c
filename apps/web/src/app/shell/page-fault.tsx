import { useRouteError } from 'react-router';
import { FailureNotice } from '../../shared/ui/notice.tsx';

/** Error boundary of a page: if the page fails, the menu and the header stay usable. */
export function PageFault() {
  return <FailureNotice error={useRouteError()} retry={() => location.reload()} />;
}
