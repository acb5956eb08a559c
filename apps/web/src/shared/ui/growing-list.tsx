import './growing-list.css';
import { type ReactNode, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { Button } from './button.tsx';

/**
 * Returns the items to show, at first `step` of them, and `more`: how many are shown, with a button that adds `step`; null if
 * all are shown. With another `key`, such as another search text, only the first `step` are shown again.
 */
export function useGrowingList<Item>(
  items: readonly Item[],
  step: number,
  key = '',
): { shown: readonly Item[]; more: ReactNode } {
  const { text } = useText();
  const [grown, setGrown] = useState({ key, most: step });
  const most = grown.key === key ? grown.most : step;
  if (items.length <= most) return { shown: items, more: null };
  return {
    shown: items.slice(0, most),
    more: (
      <div className="growing-list-more small secondary">
        <span>{text('common.list.showing', { shown: most, total: items.length })}</span>
        <Button size="small" onClick={() => setGrown({ key, most: most + step })}>
          {text('common.list.more')}
        </Button>
      </div>
    ),
  };
}
