import { AssetList } from './asset-list.tsx';

export default function AssetBoxesPage() {
  return <AssetList kind="cold-box" page="asset-boxes" />;
}
