import type { AlarmStep } from '@isotherm/contracts/alarms';
import type { Signature } from '@isotherm/contracts/signatures';
import type { SignatureMeaning } from '@isotherm/domain/access/signature';
import type { StoredSignature } from '../identity/index.ts';
import type { AlarmView } from './alarm-view.repo.ts';

/** Steps of a timeline that people sign, with the meaning of the signature. */
const SIGNED_STEPS = {
  'alarm-acknowledged': 'acknowledged',
  'alarm-fixed': 'fixed',
  'alarm-ended': 'ended-by',
} as const satisfies Record<SignatureMeaning, AlarmStep['type']>;

/** What the signer said in the signed action. */
type Said = Readonly<Record<'reason' | 'cause' | 'correctiveAction' | 'text', string>>;

const NOTHING: Said = { reason: '', cause: '', correctiveAction: '', text: '' };

/** The signed content: what the person did, and the facts of the alarm that cannot change. */
export function signedContent(alarm: AlarmView, said: Partial<Said>): Record<string, unknown> {
  const { id, kind, indicator, assetName, channelName, deviceNumber, limitValue, peakLevel } = alarm;
  return {
    alarm: { id, kind, indicator, assetName, channelName, deviceNumber, limitValue, peakLevel },
    said: { ...NOTHING, ...said },
  };
}

function saidIn(step: AlarmStep): Said {
  switch (step.type) {
    case 'acknowledged':
      return {
        ...NOTHING,
        reason: step.reason ?? '',
        cause: step.cause,
        correctiveAction: step.correctiveAction,
      };
    case 'ended-by':
      return { ...NOTHING, text: step.text };
    default:
      return NOTHING;
  }
}

/**
 * Signatures as they are shown with an alarm. One is valid if it is intact and if the action that it was put under still
 * stands in the timeline as it was signed (21 CFR Part 11, § 11.70).
 */
export function signaturesOf(stored: readonly StoredSignature[], steps: readonly AlarmStep[]): Signature[] {
  return stored.map(({ id, meaning, name, username, roles, at, level, code, content, isIntact }) => {
    const signedAt = at.toISOString();
    const step = steps.find((each) => each.type === SIGNED_STEPS[meaning] && each.at === signedAt);
    const said = content.said as Said;
    const isBound =
      step !== undefined &&
      Object.entries(saidIn(step)).every(([field, text]) => said[field as keyof Said] === text);
    return {
      id,
      meaning,
      name,
      username,
      roles,
      at: signedAt,
      level,
      code,
      isValid: isIntact && isBound,
    };
  });
}
