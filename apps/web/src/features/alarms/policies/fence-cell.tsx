import { listPolicyFences } from '@isotherm/contracts/alarm-policies';
import { FENCE_SIDES, type FenceCondition } from '@isotherm/domain/alarms/policy';
import { useQuery } from '@tanstack/react-query';
import Select from 'antd/es/select';
import { call } from '../../../shared/api/client.ts';
import { useText } from '../../../shared/i18n/use-text.ts';
import { AsyncSelect } from '../../../shared/ui/form/choice-fields.tsx';
import { isTab, KeyFrame } from '../../../shared/ui/form/key-frame.tsx';
import { POLICIES_KEY } from './policies.queries.ts';

/** A side of a geofence during input; the id is 0 until a geofence is selected. */
const NO_FENCE = 0;

/** Cells for the side of a geofence on which a condition applies. */
export function FenceCell({
  fence,
  organizationId,
  isWrong,
  onChange,
}: {
  fence: FenceCondition | null;
  /** The organisation of the policy, which decides which geofences it can name; undefined until it is known. */
  organizationId: number | undefined;
  isWrong: boolean;
  onChange: (fence: FenceCondition | null) => void;
}) {
  const { text } = useText();
  return (
    <div className={fence === null ? 'graded-plain' : 'graded-signal'}>
      <div className="graded-cell">
        <span className="field-label" aria-hidden="true">
          {text('policies.fence')}
        </span>
        <KeyFrame take={isTab}>
          <Select<FenceCondition['side'] | 'everywhere'>
            className="form-select"
            aria-label={text('policies.fence')}
            value={fence?.side ?? 'everywhere'}
            options={(['everywhere', ...FENCE_SIDES] as const).map((value) => ({
              value,
              label: text(`policies.fence.${value}`),
            }))}
            onChange={(side) =>
              onChange(side === 'everywhere' ? null : { fenceId: fence?.fenceId ?? NO_FENCE, side })
            }
          />
        </KeyFrame>
      </div>
      {fence === null ? null : (
        <>
          <Fence
            fence={fence}
            organizationId={organizationId}
            isWrong={isWrong && fence.fenceId === NO_FENCE}
            onChange={onChange}
          />
          <p className="small secondary graded-signal-help">{text('policies.fence.help')}</p>
        </>
      )}
    </div>
  );
}

/** Cell that selects the geofence. */
function Fence({
  fence,
  organizationId,
  isWrong,
  onChange,
}: {
  fence: FenceCondition;
  organizationId: number | undefined;
  isWrong: boolean;
  onChange: (fence: FenceCondition) => void;
}) {
  const { text } = useText();
  const { fenceId } = fence;
  const ofOrganization = organizationId === undefined ? {} : { organizationId };
  const { data: [chosen] = [] } = useQuery({
    queryKey: [...POLICIES_KEY, 'fences', organizationId, 'chosen', fenceId],
    queryFn: () =>
      call(listPolicyFences, { query: { ...ofOrganization, ids: String(fenceId) }, quiet: true }),
    enabled: fenceId !== NO_FENCE,
    staleTime: 30_000,
  });
  return (
    <div className="graded-cell">
      <span className="field-label" aria-hidden="true">
        {text('policies.fence.name')}
      </span>
      <AsyncSelect
        aria-label={text('policies.fence.name')}
        {...(isWrong ? { status: 'error' as const } : {})}
        source={{
          key: [...POLICIES_KEY, 'fences', organizationId],
          search: async (search) =>
            (await call(listPolicyFences, { query: { ...ofOrganization, search }, quiet: true })).map(
              ({ id, name, organizationName }) => ({ value: id, label: name, hint: organizationName }),
            ),
        }}
        // A geofence that the organisation cannot use any more is shown by its id.
        chosen={fenceId === NO_FENCE ? undefined : { value: fenceId, label: chosen?.name ?? `#${fenceId}` }}
        value={fenceId === NO_FENCE ? undefined : fenceId}
        clearable={false}
        placeholder={text('policies.fence.choose')}
        onChange={(id) => onChange({ ...fence, fenceId: Number(id) })}
      />
    </div>
  );
}
