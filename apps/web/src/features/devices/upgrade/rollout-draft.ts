import { createRollout } from '@isotherm/contracts/firmware';
import type { BodyOf } from '@isotherm/contracts/route';
import { z } from 'zod';

const percent = z.number().min(1).max(100);
const WAVE = /^(\d{1,6})\s*([%％])?$/;

/** Parses `1, 10 %, 50%`. An invalid size is kept as typed, and then rejected. */
const waves = z
  .string()
  .default('')
  .transform((typed, context) => {
    const parts = typed.split(/[,，;；、]/).map((part) => part.trim());
    return parts
      .filter((part) => part !== '')
      .map((part) => {
        const [, amount, sign] = WAVE.exec(part) ?? [];
        if (amount === undefined) context.addIssue({ code: 'custom', message: 'format' });
        return { amount: Number(amount), unit: sign ? ('percent' as const) : ('devices' as const) };
      });
  })
  .pipe(createRollout.body.shape.waves.unwrap());

const { organizationId, search, isAutomatic, offerWithinS, note } = createRollout.body.shape;

/** Form schema of a roll-out: waves are text, shares are in percent. */
export const rolloutForm = z.strictObject({
  organizationId,
  search,
  waves,
  isAutomatic,
  successPercent: percent,
  failurePercent: percent,
  offerWithinS,
  note,
});

type Form = z.output<typeof rolloutForm>;

export function rolloutBody(
  firmwareId: number,
  { successPercent, failurePercent, ...rest }: Form,
): BodyOf<typeof createRollout> {
  return {
    ...rest,
    firmwareId,
    successShare: successPercent / 100,
    failureShare: failurePercent / 100,
  };
}
