import {
  createBrand,
  deleteBrand,
  editBrand,
  listBrands,
  removeBrandLogo,
  uploadBrandLogo,
} from '@isotherm/contracts/brands';
import type { Mount } from '../../../platform/http/mount.ts';
import type { BrandsService } from './brands.service.ts';

export function mountBrands(mount: Mount, service: BrandsService): void {
  mount(listBrands, () => service.list());
  mount(createBrand, ({ caller, body }) => service.create(caller, body));
  mount(editBrand, ({ caller, params, body }) => service.edit(caller, params.id, body));
  mount(uploadBrandLogo, ({ caller, params, body }) =>
    service.setLogo(caller, params.id, params.place, body.image.bytes),
  );
  mount(removeBrandLogo, ({ caller, params }) => service.setLogo(caller, params.id, params.place, null));
  mount(deleteBrand, ({ caller, params }) => service.remove(caller, params.id));
}
