import type { Waybill } from '@isotherm/contracts/waybills';
import type { WaybillRow } from './waybills.repo.ts';

/** The row as the contract shows it. */
export function viewOf(row: WaybillRow): Waybill {
  return {
    id: row.id,
    organizationId: row.organizationId,
    organizationName: row.organizationName,
    number: row.number,
    state: row.state,
    consignorUnit: row.consignorUnit,
    consignorAddress: row.consignorAddress,
    consignorContact: row.consignorContact,
    consignorPhone: row.consignorPhone,
    consigneeUnit: row.consigneeUnit,
    consigneeAddress: row.consigneeAddress,
    consigneeContact: row.consigneeContact,
    consigneePhone: row.consigneePhone,
    consigneeEmail: row.consigneeEmail,
    consigneeLanguage: row.consigneeLanguage,
    assetId: row.assetId,
    assetName: row.assetName,
    tour: row.tour,
    stop: row.stop,
    driverId: row.driverId,
    driverName: row.driverName,
    plannedDepartureAt: row.plannedDepartureAt.toISOString(),
    plannedDeliveryAt: row.plannedDeliveryAt?.toISOString() ?? null,
    profileId: row.profileId,
    profileName: row.limits.profileName,
    temperatureLow: row.temperatureLow,
    temperatureHigh: row.temperatureHigh,
    low: row.limits.temperatureLow,
    high: row.limits.temperatureHigh,
    preCoolMinutes: row.preCoolMinutes,
    goods: row.goods,
    departureFenceId: row.departureFenceId,
    departureFenceName: row.departureFenceName,
    arrivalFenceIds: row.arrivalFenceIds,
    arrivalFenceNames: row.arrivalFenceNames,
    departAtTime: row.departAtTime,
    departByButton: row.departByButton,
    deliverAtTime: row.deliverAtTime,
    deliverByButton: row.deliverByButton,
    deviceIds: row.deviceIds,
    deviceNumbers: row.deviceNumbers,
    note: row.note,
    departedAt: row.departedAt?.toISOString() ?? null,
    endedAt: row.endedAt?.toISOString() ?? null,
    decision: row.decision,
    changedBy: row.changedBy,
    changedAt: row.changedAt.toISOString(),
  };
}

/** Describes the waybill as the object of an audit entry. */
export function waybillObject({ id, number }: { id: number; number: string }) {
  return { objectKind: 'waybill', objectId: id, objectName: number };
}

/** Fields of a waybill in audit entries. */
export function waybillFields(row: WaybillRow) {
  return {
    organization: row.organizationName,
    number: row.number,
    state: row.state,
    consignor: row.consignorUnit,
    consignee: row.consigneeUnit,
    consigneeEmail: row.consigneeEmail,
    asset: row.assetName,
    driver: row.driverName ?? '',
    tour: row.tour,
    stop: row.stop,
    plannedDepartureAt: row.plannedDepartureAt.toISOString(),
    plannedDeliveryAt: row.plannedDeliveryAt?.toISOString() ?? '',
    departedAt: row.departedAt?.toISOString() ?? '',
    endedAt: row.endedAt?.toISOString() ?? '',
    product: row.limits.profileName ?? '',
    temperatureLow: row.limits.temperatureLow,
    temperatureHigh: row.limits.temperatureHigh,
    preCoolMinutes: row.limits.preCoolMinutes,
    preCool: row.preCoolResult ?? '',
    goods: row.goods
      .map(({ product, batch, quantity, unit }) => `${product} ${batch} ${quantity} ${unit}`)
      .join('; '),
    departureFence: row.departureFenceName ?? '',
    arrivalFences: row.arrivalFenceNames.join('; '),
    departAtTime: row.departAtTime,
    departByButton: row.departByButton,
    deliverAtTime: row.deliverAtTime,
    deliverByButton: row.deliverByButton,
    devices: row.deviceNumbers.join('; '),
    note: row.note,
  };
}
