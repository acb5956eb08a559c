import { Icon } from '../../shared/ui/icon.tsx';

/** Error message of a form before login. Screen readers announce it when it appears. */
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
