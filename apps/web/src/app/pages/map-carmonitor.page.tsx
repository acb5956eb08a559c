import { CarMonitor } from '../../features/maps/cars/car-monitor.tsx';
import { stateTitle } from '../../shared/assets/asset-words.ts';
import { useText } from '../../shared/i18n/use-text.ts';

/** The car monitor at `/map/carmonitor`. */
export default function MapCarMonitorPage() {
  const { text } = useText();
  return <CarMonitor stateText={(state) => stateTitle({ state, cause: null }, text)} />;
}
