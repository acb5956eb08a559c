import { AssetList } from './asset-list.tsx';

export default function AssetVehiclesPage() {
  return <AssetList kind="vehicle" page="asset-vehicles" />;
}
