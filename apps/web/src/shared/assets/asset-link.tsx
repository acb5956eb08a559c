import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { usePermission } from '../access/permissions.ts';

/**
 * A link to the page of an asset. A user who may not open that page gets the content as plain text, or
 * nothing if it is a button.
 *
 * @param to the address below the page of the asset, such as `?tab=rules`
 */
export function AssetLink({
  assetId,
  to = '',
  className,
  isButton = false,
  children,
}: {
  assetId: number;
  to?: string;
  className?: string;
  isButton?: boolean;
  children: ReactNode;
}) {
  const seesAssets = usePermission('asset:view');
  if (!seesAssets) return isButton ? null : children;
  return (
    <Link className={className} to={`/asset/${assetId}${to}`}>
      {children}
    </Link>
  );
}
