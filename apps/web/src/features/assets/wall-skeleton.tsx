import './wall.css';
import { useText } from '../../shared/i18n/use-text.ts';

const ATTENTION = ['a', 'b', 'c', 'd'];
const QUIET = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l'];

/** Placeholder of the monitor page while it is loading. */
export function WallSkeleton() {
  const { text } = useText();
  return (
    <div aria-busy="true">
      <span className="visually-hidden" role="status">
        {text('common.loading')}
      </span>
      <div className="counts skeleton" style={{ height: 48 }} />
      <div className="wall-attention">
        {ATTENTION.map((key) => (
          <div key={key} className="card card-attention skeleton" />
        ))}
      </div>
      <div className="wall-quiet">
        {QUIET.map((key) => (
          <div key={key} className="card card-quiet skeleton" />
        ))}
      </div>
    </div>
  );
}
