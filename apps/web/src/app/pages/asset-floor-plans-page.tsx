import { FloorPlanPage } from '../../features/assets/floor-plans/plan-page.tsx';

export default function AssetFloorPlansPage() {
  return <FloorPlanPage />;
}
