import {
  adjustWaybill,
  createWaybill,
  decideWaybill,
  deleteWaybill,
  deliverWaybill,
  departWaybill,
  exportWaybills,
  getTripRecord,
  getWaybill,
  getWaybillArrival,
  getWaybillTemplate,
  importWaybills,
  listWaybillArrivals,
  listWaybillDevices,
  listWaybillDrivers,
  listWaybills,
  printTripReport,
  printWaybill,
  rejectWaybill,
  transshipWaybill,
} from '@isotherm/contracts/waybills';
import type { Mount } from '../../../platform/http/mount.ts';
import type { Arrivals } from '../arrival/arrival.ts';
import type { Papers } from '../papers/papers.service.ts';
import type { WaybillSheets } from './waybill-sheets.ts';
import type { WaybillsService } from './waybills.service.ts';

export function mountWaybills(
  mount: Mount,
  service: WaybillsService,
  sheets: WaybillSheets,
  papers: Papers,
  arrivals: Pick<Arrivals, 'get'>,
): void {
  mount(listWaybills, ({ caller, query }) => service.list(caller, query));
  mount(exportWaybills, ({ caller, query }) => sheets.export(caller, query));
  mount(getWaybillTemplate, ({ caller }) => sheets.template(caller));
  mount(importWaybills, ({ caller, body }) => sheets.import(caller, body));
  mount(listWaybillArrivals, ({ caller, query }) => arrivals.list(caller, query.ids));
  mount(listWaybillDevices, ({ caller, query }) => service.devices(caller, query));
  mount(listWaybillDrivers, ({ caller, query }) => service.drivers(caller, query));
  mount(getWaybill, ({ caller, params }) => service.get(caller, params.id));
  mount(createWaybill, ({ caller, body }) => service.create(caller, body));
  mount(adjustWaybill, ({ caller, params, body }) =>
    service.adjust(caller, params.id, body.waybill, body.reason),
  );
  mount(deleteWaybill, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  for (const [route, action] of [
    [departWaybill, 'depart'],
    [transshipWaybill, 'transship'],
  ] as const)
    mount(route, ({ caller, params, body }) =>
      service.step(caller, params.id, { action, at: Date.parse(body.at), assetId: body.assetId }, body),
    );
  for (const [route, action] of [
    [deliverWaybill, 'deliver'],
    [rejectWaybill, 'reject'],
  ] as const)
    mount(route, ({ caller, params, body }) =>
      service.step(caller, params.id, { action, at: Date.parse(body.at) }, body),
    );
  mount(getTripRecord, ({ caller, params }) => service.record(caller, params.id));
  mount(getWaybillArrival, ({ caller, params }) => arrivals.get(caller, params.id));
  mount(printTripReport, ({ caller, params, query, host }) =>
    papers.trip(caller, params.id, { zone: query.zone, host }),
  );
  mount(printWaybill, ({ caller, params, query, host }) =>
    papers.waybill(caller, params.id, { zone: query.zone, host }),
  );
  mount(decideWaybill, ({ caller, params, body }) => service.decide(caller, params.id, body));
}
