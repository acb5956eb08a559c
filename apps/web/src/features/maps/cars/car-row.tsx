import type { AssetState } from '@isotherm/contracts/assets';
import type { Car } from '@isotherm/contracts/car-screens';
import { StateGlyph } from '../../../shared/assets/asset-glyph.tsx';
import { useText } from '../../../shared/i18n/use-text.ts';
import { Icon } from '../../../shared/ui/icon.tsx';
import { valueText } from '../mark-words.ts';
import { carWhere, isCarStale } from './car-words.ts';

export interface CarProps {
  car: Car;
  now: number;
  stateText: (state: AssetState) => string;
  isSelected: boolean;
  onSelect: (id: number) => void;
}

/** State of a vehicle as a shape; a truck for one within limits. */
function CarGlyph({ car, size }: { car: Car; size: number }) {
  return car.state.kind === 'normal' ? <Icon name="vehicle" /> : <StateGlyph state={car.state} size={size} />;
}

/** A vehicle in a list. */
export function CarRow({ car, now, isSelected, onSelect }: Omit<CarProps, 'stateText'>) {
  const { text } = useText();
  return (
    <button type="button" className="maps-row" aria-current={isSelected} onClick={() => onSelect(car.id)}>
      <span className="maps-row-glyph">
        <CarGlyph car={car} size={18} />
      </span>
      <span className="maps-row-name">
        <span className="strong ellipsis">{car.name}</span>
        <span className="small secondary ellipsis">{carWhere(car, now, text)}</span>
      </span>
      <span className="number strong">{valueText(car)}</span>
    </button>
  );
}

/** A vehicle as a card: state, value, place and organisation. */
export function CarCard({ car, now, stateText, isSelected, onSelect }: CarProps) {
  const { text } = useText();
  return (
    <button
      type="button"
      className="cars-card"
      aria-current={isSelected}
      data-stale={isCarStale(car, now) || undefined}
      onClick={() => onSelect(car.id)}
    >
      <span className="cars-card-head">
        <span className="maps-row-glyph">
          <CarGlyph car={car} size={18} />
        </span>
        <span className="strong ellipsis">{car.name}</span>
      </span>
      <span className="cars-card-value number">{valueText(car)}</span>
      <span className="small">{stateText(car.state)}</span>
      <span className="small secondary">{carWhere(car, now, text)}</span>
      <span className="small tertiary ellipsis">{car.organizationName}</span>
    </button>
  );
}
