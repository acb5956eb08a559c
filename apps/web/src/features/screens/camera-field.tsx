import { listWebcams } from '@isotherm/contracts/webcams';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { useState } from 'react';
import { call } from '../../shared/api/client.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { FieldFrame } from '../../shared/ui/form/field-frame.tsx';
import { useSettled } from '../../shared/ui/form/use-settled.ts';

/** Number of cameras that are offered at once; the others are found by their names. */
const OFFERED = 50;

/** Field for the webcam of a camera tile, one of the organisation or of those below it. */
export function CameraField({
  organizationId,
  webcamId,
  onChange,
}: {
  organizationId: number;
  webcamId: number | null;
  onChange: (webcamId: number | null) => void;
}) {
  const { text } = useText();
  const [typed, setTyped] = useState('');
  const search = useSettled(typed);
  const { data, error } = useQuery({
    queryKey: ['screens', 'cameras', organizationId, search],
    queryFn: ({ signal }) =>
      call(listWebcams, { query: { organizationId, search, pageSize: OFFERED }, signal, quiet: true }),
    placeholderData: keepPreviousData,
  });
  return (
    <FieldFrame
      required
      label={text('screens.camera')}
      help={text('screens.camera.help')}
      fault={error?.message ?? (webcamId === null ? text('validation.required') : undefined)}
    >
      {(control) => (
        <Select
          {...control}
          className="form-select"
          showSearch={{ filterOption: false, onSearch: setTyped }}
          value={webcamId}
          options={data?.items.map(({ id, name, organizationName }) => ({
            value: id,
            label: `${name} · ${organizationName}`,
          }))}
          notFoundContent={text('screens.camera.none')}
          onChange={onChange}
        />
      )}
    </FieldFrame>
  );
}
