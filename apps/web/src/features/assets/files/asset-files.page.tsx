import { FileList } from './file-list.tsx';

export default function AssetFilesPage() {
  return <FileList />;
}
