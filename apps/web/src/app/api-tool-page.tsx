import type { Site } from '@isotherm/contracts/settings';

export function ApiToolPage({ site }: { site: Site }) {
  return <main>{site.title}</main>;
}
