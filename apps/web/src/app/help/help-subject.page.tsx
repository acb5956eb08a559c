import './help.css';
import { HELP_SUBJECT_NAMES, HELP_SUBJECTS } from '@isotherm/domain/help/subjects';
import { titleOf } from '@isotherm/i18n/help/help';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from 'react-router';
import { isSearchable, menuPages, menuTitle } from '../../features/settings/menu.ts';
import { useMenu } from '../../features/settings/settings.queries.ts';
import { useText } from '../../shared/i18n/use-text.ts';
import { useCrumbTitle } from '../../shared/tabs/use-crumb-title.ts';
import { buttonClass } from '../../shared/ui/button.tsx';
import { FailureNotice, Notice } from '../../shared/ui/notice.tsx';
import { PageHead } from '../../shared/ui/page-head.tsx';
import { helpQuery } from './help.queries.ts';
import { Markdown } from './markdown.tsx';

/** One subject of the help, with links to the pages that it explains. */
export default function HelpSubjectPage() {
  const { text, language } = useText();
  const params = useParams();
  const subject = HELP_SUBJECT_NAMES.find((each) => each === params.subject);
  const { data, error, refetch } = useQuery({ ...helpQuery(language), enabled: subject !== undefined });
  const menu = useMenu();
  const title = subject && data ? titleOf(data.subjects[subject]) : text('menu.help');
  useCrumbTitle(title);
  if (!subject)
    return (
      <div className="page">
        <section className="panel">
          <Notice
            icon="search"
            title={text('help.unknown')}
            action={
              <Link className={buttonClass()} to="/help">
                {text('help.all')}
              </Link>
            }
          />
        </section>
      </div>
    );
  const explained: readonly string[] = HELP_SUBJECTS[subject];
  const pages = menuPages(menu).filter((page) => isSearchable(page) && explained.includes(page.route.name));
  return (
    <div className="page">
      <PageHead title={title}>
        <Link className={buttonClass()} to="/help">
          {text('help.all')}
        </Link>
      </PageHead>
      {error && !data ? (
        <section className="panel">
          <FailureNotice error={error} retry={() => void refetch()} />
        </section>
      ) : null}
      {!data && !error ? <div className="skeleton skeleton-body" /> : null}
      {data ? (
        <article className="panel help-article">
          <Markdown text={data.subjects[subject]} />
          {pages.length > 0 ? (
            <nav aria-label={text('help.pages')}>
              <h2>{text('help.pages')}</h2>
              <ul className="help-links">
                {pages.map(({ route, path }) => (
                  <li key={route.name}>
                    <Link to={path}>{menuTitle(route, text, language)}</Link>
                    <span className="secondary">{data.pages[route.name]?.[0]}</span>
                  </li>
                ))}
              </ul>
            </nav>
          ) : null}
        </article>
      ) : null}
    </div>
  );
}
