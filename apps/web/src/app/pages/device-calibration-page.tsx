import { CalibrationPage } from '../../features/devices/calibration/calibration-page.tsx';

export default function DeviceCalibrationPage() {
  return <CalibrationPage />;
}
