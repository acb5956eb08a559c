import './growing-list.css';
import { type ReactNode, useState } from 'react';
import { useText } from '../i18n/use-text.ts';
import { Button } from './button.tsx';

/**
 * Returns the first `step` of many items, and what says how many are shown and shows `step` more on demand; null if all are
 * shown. Another `key`, such as what was searched for, begins with the first ones again.
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
