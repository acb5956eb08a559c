import { WebcamsPage } from '../../features/assets/webcams/webcams-page.tsx';

export default function AssetWebcamsPage() {
  return <WebcamsPage />;
}
