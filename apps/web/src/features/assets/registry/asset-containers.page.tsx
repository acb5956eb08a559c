import { AssetList } from './asset-list.tsx';

export default function AssetContainersPage() {
  return <AssetList kind="container" page="asset-containers" />;
}
