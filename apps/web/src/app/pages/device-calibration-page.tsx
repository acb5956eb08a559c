import { CalibrationList } from '../../features/devices/calibration/calibration-list.tsx';

export default function DeviceCalibrationPage() {
  return <CalibrationList />;
}
