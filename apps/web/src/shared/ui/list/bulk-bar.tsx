import type { ReactNode } from 'react';
import { useText } from '../../i18n/use-text.ts';
import { Button } from '../button.tsx';
import { Icon } from '../icon.tsx';

/**
 * Bar with the actions for the selected rows. It floats above the list, so that nothing moves (design, list
 * page).
 */
export function BulkBar({
  count,
  onClear,
  children,
}: {
  count: number;
  onClear: () => void;
  children: ReactNode;
}) {
  const { text } = useText();
  return (
    <div className="bulk-bar" role="toolbar" aria-label={text('common.list.bulk')}>
      <span role="status">{text('common.list.selected', { count })}</span>
      <i aria-hidden="true" />
      {children}
      <i aria-hidden="true" />
      <Button onClick={onClear}>
        {text('common.action.clear')}
        <Icon name="close" small />
      </Button>
    </div>
  );
}
