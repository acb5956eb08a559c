interface LockEntry {
  version?: string;
  optional?: boolean;
  devOptional?: boolean;
}

export function isInstalled(
  wanted: Record<string, LockEntry> | undefined,
  present: Record<string, LockEntry> | undefined,
): boolean;
