import { WebsiteSettings } from '../../features/settings/brands/website-settings.tsx';

export default function WebsitePage() {
  return <WebsiteSettings />;
}
