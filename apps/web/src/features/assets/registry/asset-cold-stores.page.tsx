import { AssetList } from './asset-list.tsx';

export default function AssetColdStoresPage() {
  return <AssetList kind="cold-store" page="asset-cold-stores" />;
}
