import { ValidationPage } from '../../features/validation/validation-page.tsx';

export default function AssetValidationPage() {
  return <ValidationPage />;
}
