import {
  createMessageTemplate,
  editMessageTemplate,
  getInheritedTemplate,
  getMessageTemplate,
  listMessageTemplates,
  previewMessageTemplate,
  resetMessageTemplate,
  testMessageTemplate,
} from '@isotherm/contracts/message-templates';
import type { Mount } from '../../../platform/http/mount.ts';
import type { TemplatesService } from './templates.service.ts';
import type { SendTemplateTest } from './test-message.ts';

export function mountTemplates(mount: Mount, service: TemplatesService, sendTest: SendTemplateTest): void {
  mount(listMessageTemplates, ({ caller, query }) => service.list(caller, query));
  mount(getInheritedTemplate, ({ caller, query }) => service.inherited(caller, query));
  mount(getMessageTemplate, ({ caller, params }) => service.get(caller, params.id));
  mount(createMessageTemplate, ({ caller, body }) => service.create(caller, body));
  mount(editMessageTemplate, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(resetMessageTemplate, ({ caller, params, body }) => service.reset(caller, params.id, body.reason));
  mount(previewMessageTemplate, ({ caller, body }) => service.preview(caller, body));
  mount(testMessageTemplate, ({ caller, body }) => sendTest(caller, body));
}
