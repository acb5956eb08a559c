import { MailboxList } from '../../features/settings/mailbox/mailbox-list.tsx';

export default function MailboxPage() {
  return <MailboxList />;
}
