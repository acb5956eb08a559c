import type { Signature } from '@isotherm/contracts/signatures';
import { SYSTEM_ROLES } from '@isotherm/domain/access/roles';
import { roleName } from '../../shared/access/role-words.ts';
import { useViewer } from '../../shared/format/viewer.tsx';

/** Number of characters of the code that are shown; the whole code is its title. */
const SHORT_CODE = 16;

/** Electronic signatures under an alarm: printed name, roles, meaning and time of each (21 CFR Part 11, § 11.50). */
export function AlarmSignatures({ signatures }: { signatures: readonly Signature[] }) {
  const { text, time } = useViewer();
  // A signature stores the code of a built-in role, and the name of another one.
  const roleOf = (role: string) => roleName({ code: role in SYSTEM_ROLES ? role : null, name: role }, text);
  if (signatures.length === 0) return null;
  return (
    <section className="panel alarm-panel alarm-panel-body" aria-label={text('signatures.title')}>
      <header className="alarm-panel-head">
        <h2>{text('signatures.title')}</h2>
      </header>
      <ul className="alarm-signatures">
        {signatures.map((signature) => (
          <li key={signature.id}>
            <p>
              <span className="strong">{signature.name}</span>{' '}
              <span className="secondary">
                {[signature.username, ...signature.roles.map(roleOf)].join(' · ')}
              </span>
            </p>
            <p>{text(`signatures.meaning.${signature.meaning}`)}</p>
            <p className="small tertiary">
              <time dateTime={signature.at}>{time(signature.at, 'date-time-seconds')}</time>
              {' · '}
              <span className={signature.isValid ? undefined : 'alarm-message-failed'}>
                {text(signature.isValid ? 'signatures.valid' : 'signatures.invalid')}
              </span>
              {' · '}
              <span title={signature.code}>
                {text('signatures.code')} <bdi className="number">{signature.code.slice(0, SHORT_CODE)}</bdi>
              </span>
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}
