import type { AlarmMoveTarget } from '@isotherm/contracts/alarms';
import { AssetLink } from '../../shared/assets/asset-link.tsx';
import { useViewer } from '../../shared/format/viewer.tsx';

/** Healthy assets with the same limits to which the goods can be moved. Shows nothing if there are none. */
export function MoveTargets({ targets }: { targets: readonly AlarmMoveTarget[] }) {
  const { text, language } = useViewer();
  if (targets.length === 0) return null;
  const figure = (value: number, unit: string, digits: number) =>
    new Intl.NumberFormat(language, {
      style: 'unit',
      unit,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }).format(value);
  return (
    <>
      <h3 className="strong">{text('alarms.move-targets')}</h3>
      <ul className="alarm-move-targets">
        {targets.map(({ id, name, place, organizationName, temperatureC, distanceM }) => (
          <li key={id}>
            <AssetLink assetId={id}>{name}</AssetLink>{' '}
            <span className="secondary">
              {[
                place || organizationName,
                temperatureC === null ? '' : figure(temperatureC, 'celsius', 1),
                distanceM === null ? '' : figure(distanceM / 1000, 'kilometer', 1),
              ]
                .filter(Boolean)
                .join(' · ')}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
