import './help.css';
import { HELP_SUBJECT_NAMES } from '@isotherm/domain/help/subjects';
import { titleOf } from '@isotherm/i18n/help/help';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { useText } from '../../shared/i18n/use-text.ts';
import { Button } from '../../shared/ui/button.tsx';
import { FilterBox } from '../../shared/ui/filter-box.tsx';
import { Icon } from '../../shared/ui/icon.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { useUrlState } from '../../shared/ui/use-url-state.ts';
import { helpQuery } from './help.queries.ts';

/** Returns the first paragraph of a subject, as text. */
const leadOf = (markdown: string): string =>
  (markdown.split('\n\n')[1] ?? '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[*`]/g, '');

/** Contents of the help: all subjects, filtered by a text that they contain. */
export default function HelpPage() {
  const { text, language } = useText();
  const [params, change] = useUrlState();
  const { data, error, refetch } = useQuery(helpQuery(language));
  const search = params.get('q') ?? '';
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = HELP_SUBJECT_NAMES.filter((subject) =>
    words.every((word) => data?.subjects[subject].toLowerCase().includes(word)),
  );
  return (
    <div className="page">
      <PageHead title={text('menu.help')} purpose={text('help.purpose')}>
        <FilterBox placeholder={text('help.search')} value={search} onChange={(q) => change({ q })} />
      </PageHead>
      {error && !data ? (
        <section className="panel">
          <FailureNotice error={error} retry={() => void refetch()} />
        </section>
      ) : null}
      {!data && !error ? <div className="skeleton skeleton-body" /> : null}
      {data && found.length === 0 ? (
        <section className="panel">
          <Notice
            icon="search"
            title={text('common.list.no-result')}
            action={
              <Button onClick={() => change({ q: null })}>{text('common.action.clear-filters')}</Button>
            }
          />
        </section>
      ) : null}
      {data && found.length > 0 ? (
        <ul className="help-subjects">
          {found.map((subject) => (
            <li key={subject}>
              <Link className="panel help-card" to={`/help/${subject}`}>
                <Icon name="page" />
                <span>
                  <strong>{titleOf(data.subjects[subject])}</strong>
                  <span className="secondary">{leadOf(data.subjects[subject])}</span>
                </span>
              </Link>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
