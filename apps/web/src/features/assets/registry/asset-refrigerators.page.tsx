import { AssetList } from './asset-list.tsx';

export default function AssetRefrigeratorsPage() {
  return <AssetList kind="refrigerator" page="asset-refrigerators" />;
}
