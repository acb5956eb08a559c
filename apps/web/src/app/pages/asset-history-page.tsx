import { AssetHistory } from '../../features/assets/status/asset-history.tsx';

export default function AssetHistoryPage() {
  return <AssetHistory />;
}
