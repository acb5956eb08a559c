/** Largest number of devices that are bound for one trip. */
export const MOST_TRIP_DEVICES = 20;

/** Why a device cannot be bound for a trip: it was deleted, it is on another trip, or it belongs to another organisation than the asset. */
export const TRIP_DEVICE_FAULTS = ['gone', 'on-trip', 'elsewhere'] as const;
export type TripDeviceFault = (typeof TRIP_DEVICE_FAULTS)[number];

interface Place {
  id: number;
  organizationId: number;
}

/** A device that a waybill names, as it is now. */
export interface TripDevice {
  organizationId: number;
  isDeleted: boolean;
  /** It is bound for another trip that has not ended. */
  isOnOtherTrip: boolean;
  /** Asset to which it is bound; null: none. */
  assetId: number | null;
}

/** Where a device is bound from now on: `unbind` to no asset, `stay` as it is. */
export type TripMove = { kind: 'bind'; assetId: number } | { kind: 'unbind' } | { kind: 'stay' };
const STAY: TripMove = { kind: 'stay' };

/** Binds a device to the asset of a trip that begins, or returns why that is not possible. */
export function joinTrip(device: TripDevice, asset: Place): TripMove | { fault: TripDeviceFault } {
  if (device.isDeleted) return { fault: 'gone' };
  if (device.isOnOtherTrip) return { fault: 'on-trip' };
  if (device.organizationId !== asset.organizationId) return { fault: 'elsewhere' };
  return device.assetId === asset.id ? STAY : { kind: 'bind', assetId: asset.id };
}

/**
 * Moves a device that is bound for the trip with the goods to another asset. A device that somebody bound elsewhere meanwhile
 * stays there.
 */
export function followTrip(
  device: TripDevice,
  fromAssetId: number,
  to: Place,
): TripMove | { fault: TripDeviceFault } {
  if (device.isDeleted || device.assetId !== fromAssetId) return STAY;
  if (device.organizationId !== to.organizationId) return { fault: 'elsewhere' };
  return { kind: 'bind', assetId: to.id };
}

/**
 * Releases a device from a trip: it goes back to `home`, the asset to which it was bound before, or to none. A device that
 * somebody bound elsewhere meanwhile stays there, and so does one that was deleted.
 */
export function leaveTrip(device: TripDevice, fromAssetId: number, home: Place | null): TripMove {
  if (device.isDeleted || device.assetId !== fromAssetId || home?.id === fromAssetId) return STAY;
  return home !== null && home.organizationId === device.organizationId
    ? { kind: 'bind', assetId: home.id }
    : { kind: 'unbind' };
}
