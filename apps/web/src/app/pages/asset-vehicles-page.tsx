import { AssetList } from '../../features/assets/registry/asset-list.tsx';

export default function AssetVehiclesPage() {
  return <AssetList kind="vehicle" page="asset-vehicles" />;
}
