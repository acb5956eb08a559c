import { Icon } from '../../shared/ui/icon.tsx';

/** What went wrong with a form before the console, read out when it appears. */
export function EntryFault({ fault }: { fault: string }) {
  return (
    <div role="alert">
      {fault ? (
        <div className="field-fault login-fault">
          <Icon name="info" />
          {fault}
        </div>
      ) : null}
    </div>
  );
}
