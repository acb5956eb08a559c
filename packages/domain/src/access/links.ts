/** Returns true for an external link, which starts with http(s), mailto or tel (requirements §5). */
export function isExternalLink(path: string): boolean {
  return /^(https?:\/\/|mailto:|tel:)/i.test(path);
}
