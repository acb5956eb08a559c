import { AssetTestStep } from '../../features/alarms/tests/asset-test.tsx';
import { DeviceConnect } from '../../features/devices/connect/device-connect.tsx';

/** Page for the first connection of a device, up to the test of its alarm. */
export default function DeviceConnectPage() {
  return <DeviceConnect testStep={(asset, step) => <AssetTestStep asset={asset} step={step} />} />;
}
