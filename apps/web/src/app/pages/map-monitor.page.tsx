import { LiveMap } from '../../features/maps/live-map.tsx';
import { stateTitle } from '../../shared/assets/asset-words.ts';
import { useText } from '../../shared/i18n/use-text.ts';

/** The live map at `/map/monitor`. */
export default function MapMonitorPage() {
  const { text } = useText();
  return <LiveMap stateText={(state) => stateTitle({ state, cause: null }, text)} />;
}
