import {
  createSmsProvider,
  deleteSmsProvider,
  editSmsProvider,
  getReceiptAddress,
  listSmsProviders,
  testSmsProvider,
} from '@isotherm/contracts/sms-providers';
import type { Mount } from '../../platform/http/mount.ts';
import type { SmsProvidersService } from './sms/sms-providers.service.ts';

export function mountSmsProviders(mount: Mount, service: SmsProvidersService): void {
  mount(listSmsProviders, () => service.list());
  mount(createSmsProvider, ({ caller, body }) => service.create(caller, body));
  mount(editSmsProvider, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteSmsProvider, ({ caller, params, body }) => service.remove(caller, params.id, body.reason));
  mount(testSmsProvider, ({ caller, params, body }) => service.test(caller, params.id, body.mobile));
  mount(getReceiptAddress, ({ caller, params }) => service.receiptAddress(caller, params.id));
}
