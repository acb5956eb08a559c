import { listMailbox } from '@isotherm/contracts/mailbox';
import type { Mount } from '../../platform/http/mount.ts';
import type { Messages } from '../../platform/messages/messages.ts';

export function mountMailbox(mount: Mount, messages: Pick<Messages, 'list'>): void {
  mount(listMailbox, ({ caller, query }) => messages.list(caller.scope, query));
}
