import { CommandList } from '../../features/devices/commands/command-list.tsx';

export default function DeviceCommandsPage() {
  return <CommandList />;
}
