export interface BrandPlace {
  environment: string | null;
  host: string | null;
}

/**
 * Returns the most specific brand for environment and host: one for both, then for the host, then for the
 * environment, then the default.
 */
export function chooseBrand<T extends BrandPlace>(
  brands: readonly T[],
  environment: string,
  host: string,
): T | undefined {
  const name = host.toLowerCase();
  const weight = (brand: BrandPlace) => (brand.host === null ? 0 : 2) + (brand.environment === null ? 0 : 1);
  return brands
    .filter(
      (brand) =>
        (brand.environment === null || brand.environment === environment) &&
        (brand.host === null || brand.host === name),
    )
    .sort((a, b) => weight(b) - weight(a))[0];
}
