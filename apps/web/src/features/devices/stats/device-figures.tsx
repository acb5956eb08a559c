import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useViewer } from '../../../shared/format/viewer.tsx';
import { TableFrame } from '../../../shared/ui/table-frame.tsx';

/** Table of devices that need attention, with the figures that are the reason. */
export function DeviceFigures<T extends { number: string; name: string; organizationName: string }>({
  label,
  columns,
  devices,
  figures,
}: {
  label: string;
  columns: readonly string[];
  devices: readonly T[];
  figures: (device: T) => readonly ReactNode[];
}) {
  const { text } = useViewer();
  return (
    <TableFrame label={label}>
      <thead>
        <tr>
          <th scope="col">{text('devices.number')}</th>
          <th scope="col">{text('devices.name')}</th>
          {columns.map((column) => (
            <th key={column} scope="col" className="figure">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {devices.map((device) => (
          <tr key={device.number}>
            <td>
              <Link className="number" to={`/device/list/${device.number}`}>
                {device.number}
              </Link>
            </td>
            <td>
              {device.name}
              <div className="small tertiary">{device.organizationName}</div>
            </td>
            {figures(device).map((figure, at) => (
              <td key={columns[at]} className="figure">
                <bdi dir="ltr">{figure}</bdi>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </TableFrame>
  );
}
