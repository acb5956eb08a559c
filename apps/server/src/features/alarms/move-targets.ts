import type { AlarmMoveTarget } from '@isotherm/contracts/alarms';
import type { AssetCard } from '@isotherm/contracts/assets';
import { type Coordinates, type GoodsPlace, moveTargets } from '@isotherm/domain/alarms/move-targets';
import type pg from 'pg';
import type { Caller } from '../../platform/http/caller.ts';
import type { AlarmsService } from './alarms.service.ts';
import { findCoordinates } from './move-targets.repo.ts';

const MOST = 5;

/** Assets to which the goods of an alarm's asset can be moved. Throws `alarm.not_found`. */
export type FindMoveTargets = (caller: Caller, alarmId: number) => Promise<AlarmMoveTarget[]>;

export function createMoveTargets(
  pool: pg.Pool,
  alarms: Pick<AlarmsService, 'get'>,
  cardsOf: (caller: Caller) => Promise<readonly AssetCard[]>,
): FindMoveTargets {
  return async (caller, alarmId) => {
    const { assetId } = await alarms.get(caller, alarmId);
    const cards = await cardsOf(caller);
    const own = cards.find(({ id }) => id === assetId);
    if (!own) return [];
    const coordinates = await findCoordinates(
      pool,
      cards.map(({ id }) => id),
    );
    const places = cards.map((card) => ({ ...placeOf(card, coordinates), card }));
    return moveTargets(placeOf(own, coordinates), places, MOST).map(({ place: { card }, distanceM }) => ({
      id: card.id,
      name: card.name,
      place: card.place,
      organizationName: card.organizationName,
      temperatureC: card.main?.value ?? null,
      distanceM,
    }));
  };
}

function placeOf(card: AssetCard, coordinates: ReadonlyMap<number, Coordinates>): GoodsPlace {
  const { id, name, organizationId, main, state, silent, attention } = card;
  const hasLimits = main?.indicator === 'temperature' && (main.low !== null || main.high !== null);
  return {
    id,
    name,
    organizationId,
    range: hasLimits ? { low: main.low, high: main.high } : null,
    coordinates: coordinates.get(id) ?? null,
    isHealthy: state.kind === 'normal' && !silent && attention === 0 && main?.value != null,
  };
}
