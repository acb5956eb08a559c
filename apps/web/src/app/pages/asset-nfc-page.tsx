import { NfcList } from '../../features/assets/nfc/nfc-list.tsx';

export default function AssetNfcPage() {
  return <NfcList />;
}
