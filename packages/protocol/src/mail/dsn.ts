/** What a mail server reports about one recipient (RFC 3464, 2.3). */
export interface DsnRecipient {
  action: 'failed' | 'delayed' | 'delivered' | 'relayed' | 'expanded';
  /** Enhanced status code, such as 5.1.1 (RFC 3463). */
  status: string;
  /** Response of the server that refused the e-mail; empty if it is not reported. One line, at most 200 characters. */
  diagnostic: string;
}

/** Largest report that is read; a report has the headers of the e-mail at most, or the e-mail itself. */
export const MAX_DSN_BYTES = 512 * 1024;
/** Parts and recipients of a report that are looked at. */
const MOST = 50;
const MAX_DIAGNOSTIC = 200;
const ACTIONS: ReadonlySet<string> = new Set(['failed', 'delayed', 'delivered', 'relayed', 'expanded']);

/** Fields of a header by their names in lower case. Folded lines are joined; of a repeated field the first one counts. */
function fieldsOf(lines: readonly string[]): Map<string, string> {
  const fields = new Map<string, string>();
  let name = '';
  for (const line of lines) {
    if (/^[ \t]/.test(line)) {
      const before = fields.get(name);
      if (before !== undefined && before.length < 2_000) fields.set(name, `${before} ${line.trim()}`);
      continue;
    }
    const at = line.indexOf(':');
    const found = line.slice(0, Math.max(at, 0)).trim().toLowerCase();
    // A repeated field must not extend the first one by its folded lines.
    name = found === '' || fields.has(found) ? '' : found;
    if (name !== '') fields.set(name, line.slice(at + 1).trim());
  }
  return fields;
}

/** Divides an entity at its first empty line. */
function divided(lines: readonly string[]): { fields: Map<string, string>; body: readonly string[] } {
  const at = lines.indexOf('');
  return at < 0
    ? { fields: fieldsOf(lines), body: [] }
    : { fields: fieldsOf(lines.slice(0, at)), body: lines.slice(at + 1) };
}

/** A parameter of a content type; empty if there is none. */
function parameterOf(contentType: string, name: string): string {
  for (const part of contentType.split(';').slice(1)) {
    const at = part.indexOf('=');
    if (at >= 0 && part.slice(0, at).trim().toLowerCase() === name)
      return part
        .slice(at + 1)
        .trim()
        .replace(/^"(.*)"$/, '$1');
  }
  return '';
}

const typeOf = (contentType: string) => contentType.replace(/;.*$/s, '').trim().toLowerCase();

/** The parts of a multipart body, without what stands before the first and after the last one. */
function partsOf(body: readonly string[], boundary: string): (readonly string[])[] {
  const parts: string[][] = [];
  let open: string[] | null = null;
  for (const line of body) {
    const mark = line.trimEnd();
    if (mark === `--${boundary}--`) break;
    if (mark === `--${boundary}`) {
      if (parts.length === MOST) break;
      open = [];
      parts.push(open);
    } else open?.push(line);
  }
  return parts;
}

/** The value of a field without its type: `rfc822; a@b` and `smtp; 550 …`. */
const untyped = (value: string) => value.slice(value.indexOf(';') + 1).trim();

function recipientOf(lines: readonly string[]): DsnRecipient | null {
  const fields = fieldsOf(lines);
  const action = (fields.get('action') ?? '').toLowerCase();
  // A comment may follow the code.
  const [status = ''] = /^[245]\.\d{1,3}\.\d{1,3}/.exec(fields.get('status') ?? '') ?? [];
  if (!fields.has('final-recipient') || !ACTIONS.has(action) || status === '') return null;
  const diagnostic = untyped(fields.get('diagnostic-code') ?? '');
  return {
    action: action as DsnRecipient['action'],
    status,
    diagnostic: diagnostic
      .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
      .replaceAll(/ {2,}/g, ' ')
      .slice(0, MAX_DIAGNOSTIC),
  };
}

/**
 * Reads a delivery status notification (RFC 3464): an e-mail of the type `multipart/report` with the report type
 * `delivery-status`. Returns what is reported about its recipients; null if it is another e-mail, such as an automatic
 * answer. Expects any input, and looks at each line once.
 */
export function readDsn(source: string): DsnRecipient[] | null {
  if (source.length > MAX_DSN_BYTES) return null;
  const { fields, body } = divided(source.split(/\r?\n/));
  const contentType = fields.get('content-type') ?? '';
  const boundary = parameterOf(contentType, 'boundary');
  if (
    typeOf(contentType) !== 'multipart/report' ||
    parameterOf(contentType, 'report-type').toLowerCase() !== 'delivery-status' ||
    boundary === '' ||
    boundary.length > 70
  )
    return null;
  for (const part of partsOf(body, boundary)) {
    const { fields: of, body: content } = divided(part);
    const isStatus = ['message/delivery-status', 'message/global-delivery-status'].includes(
      typeOf(of.get('content-type') ?? ''),
    );
    const encoding = (of.get('content-transfer-encoding') ?? '7bit').toLowerCase();
    if (!isStatus || !['7bit', '8bit'].includes(encoding)) continue;
    let last: string[] = [];
    const groups = [last];
    for (const line of content) {
      if (line.trim() !== '') last.push(line);
      else if (last.length > 0) {
        if (groups.length === MOST) break;
        last = [];
        groups.push(last);
      }
    }
    // The first group is about the e-mail, the others are about its recipients.
    return groups.flatMap((group) => recipientOf(group) ?? []);
  }
  return null;
}
