import { PacketParsing } from '../../features/telemetry/packets/packet-parsing.tsx';

export default function ManagementPacketsPage() {
  return <PacketParsing />;
}
