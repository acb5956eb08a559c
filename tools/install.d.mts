interface LockEntry {
  version?: string;
  dev?: boolean;
  optional?: boolean;
  devOptional?: boolean;
}

export function isInstalled(
  wanted: Record<string, LockEntry> | undefined,
  present: Record<string, LockEntry> | undefined,
  everything: boolean,
): boolean;
