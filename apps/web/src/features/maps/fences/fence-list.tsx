import type { FenceOutline } from '@isotherm/contracts/geofences';
import { useText } from '../../../shared/i18n/use-text.ts';
import { FilterBox } from '../../../shared/ui/filter-box.tsx';
import { Icon } from '../../../shared/ui/icon.tsx';

/** The geofences beside the map, by name. */
export function FenceList({
  fences,
  search,
  onSearch,
  onSelect,
}: {
  fences: readonly FenceOutline[];
  search: string;
  onSearch: (search: string) => void;
  onSelect: (id: number) => void;
}) {
  const { text } = useText();
  return (
    <>
      <div className="maps-list-head">
        <FilterBox value={search} placeholder={text('geofences.search')} onChange={onSearch} />
      </div>
      <ul className="maps-rows">
        {fences.map(({ id, name, shape, inside }) => (
          <li key={id}>
            <button type="button" className="maps-row" onClick={() => onSelect(id)}>
              <span className="maps-row-glyph">
                <Icon name={shape.kind === 'corridor' ? 'route' : 'fit'} />
              </span>
              <span className="maps-row-name">
                <span className="strong ellipsis">{name}</span>
                <span className="small secondary ellipsis">
                  {`${text(`geofences.kind.${shape.kind}`)} · ${text('geofences.inside', { count: inside })}`}
                </span>
              </span>
              <Icon name="right" />
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
