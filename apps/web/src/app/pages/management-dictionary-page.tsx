import { DictionarySettings } from '../../features/settings/dictionary/dictionary-settings.tsx';

export default function DictionaryPage() {
  return <DictionarySettings />;
}
