import { ValidationPage } from '../../features/validation/validation-page.tsx';
import { StudyPlan } from './study-plan.tsx';

export default function AssetValidationPage() {
  return <ValidationPage planOf={(study) => <StudyPlan study={study} />} />;
}
