import { AssetList } from '../../features/assets/registry/asset-list.tsx';

export default function AssetContainersPage() {
  return <AssetList kind="container" page="asset-containers" />;
}
