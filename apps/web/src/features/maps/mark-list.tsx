import type { MapMark } from '@isotherm/contracts/maps';
import { useEffect, useRef } from 'react';
import { StateGlyph } from '../../shared/assets/asset-glyph.tsx';
import { useText } from '../../shared/i18n/use-text.ts';
import { useGrowingList } from '../../shared/ui/growing-list.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { valueText, whereText } from './mark-words.ts';

/** Number of rows that are drawn at first, and added on demand. */
const ROWS = 300;

/** The assets beside the map, worst first. The selected one is scrolled into view. */
export function MarkList({
  marks,
  now,
  selectedId,
  onSelect,
}: {
  marks: readonly MapMark[];
  now: number;
  selectedId: number | null;
  onSelect: (assetId: number) => void;
}) {
  const { text } = useText();
  const chosen = useRef<HTMLButtonElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another selection, and nothing else, scrolls the list.
  useEffect(() => chosen.current?.scrollIntoView({ block: 'nearest' }), [selectedId]);
  const { shown, more } = useGrowingList(marks, ROWS);
  if (marks.length === 0) return <p className="maps-none secondary">{text('maps.outside-view')}</p>;
  return (
    <ul className="maps-rows">
      {shown.map((mark) => (
        <li key={mark.id}>
          <button
            type="button"
            ref={mark.id === selectedId ? chosen : null}
            className="maps-row"
            aria-current={mark.id === selectedId}
            onClick={() => onSelect(mark.id)}
          >
            <span className="maps-row-glyph">
              {mark.state.kind !== 'normal' ? (
                <StateGlyph state={mark.state} size={18} />
              ) : (
                <Icon name={mark.kind} />
              )}
            </span>
            <span className="maps-row-name">
              <span className="strong ellipsis">{mark.name}</span>
              <span className="small secondary ellipsis">{whereText(mark, now, text)}</span>
            </span>
            <span className="number strong">{valueText(mark)}</span>
          </button>
        </li>
      ))}
      {more ? <li>{more}</li> : null}
    </ul>
  );
}
