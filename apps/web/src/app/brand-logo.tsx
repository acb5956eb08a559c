import { BrandMark } from '../shared/ui/icon.tsx';

/** Shows the customer's own logo, or the logo of the product (requirements §1, white label). */
export function BrandLogo({ src, size = 20 }: { src: string; size?: number }) {
  return src === '' ? (
    <BrandMark size={size} />
  ) : (
    <img className="site-logo" src={src} alt="" style={{ maxHeight: size * 1.4 }} />
  );
}
