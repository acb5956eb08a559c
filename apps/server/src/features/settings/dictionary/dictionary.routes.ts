import {
  createDictionary,
  deleteDictionary,
  editDictionary,
  getDictionaryOptions,
  listDictionaries,
} from '@isotherm/contracts/dictionary';
import type { Mount } from '../../../platform/http/mount.ts';
import type { DictionaryService } from './dictionary.service.ts';

export function mountDictionary(mount: Mount, service: DictionaryService): void {
  mount(listDictionaries, () => service.list());
  mount(getDictionaryOptions, ({ params, language }) => service.options(params.code, language));
  mount(createDictionary, ({ caller, body }) => service.create(caller, body));
  mount(editDictionary, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(deleteDictionary, ({ caller, params }) => service.remove(caller, params.id));
}
