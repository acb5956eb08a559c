import { MenuSettings } from '../../features/settings/menus/menu-settings.tsx';

export default function MenusPage() {
  return <MenuSettings />;
}
