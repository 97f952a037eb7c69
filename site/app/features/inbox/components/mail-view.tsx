import type { InboxMailJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { AddressLink } from '~/components/ui/address-link';
import { Segmented } from '~/components/ui/segmented';
import { BoneRows } from '~/components/ui/skeleton';
import { Failed, Loading } from '~/components/ui/states';
import { inboxMail } from '~/data/inbox';
import { dateOf } from '~/lib/time/instant';
import { fullTime } from '~/lib/time/words';
import * as styles from '../inbox.module.css';
import { withLinks } from '../model/links';

const views = [
  { value: 'html', content: 'HTML' },
  { value: 'text', content: 'Text' },
] as const;

/** One mail as its reader gets it: the HTML in a closed frame, or the text with working links. */
export function MailView({ id }: { id: string }) {
  const mail = useQuery(inboxMail(id));
  const [chosen, setView] = useState<'text' | 'html'>('html');
  if (mail.isPending)
    return (
      <Loading what="message" quiet>
        <BoneRows count={6} />
      </Loading>
    );
  if (mail.isError) return <Failed onRetry={() => mail.refetch()}>{mail.error.message}</Failed>;
  const view = mail.data.html ? chosen : 'text';
  return (
    <article className={styles.mail}>
      <header>
        <div className="grow">
          <h2>{mail.data.subject}</h2>
          <p>
            From {mail.data.from}, to {mail.data.to}
          </p>
          <p>{fullTime(dateOf(mail.data.received_at))}</p>
        </div>
        {mail.data.html && <Segmented label="Shown as" choices={views} value={view} onChoose={setView} />}
      </header>
      {view === 'text' ? (
        <Text mail={mail.data} />
      ) : (
        <iframe
          title="Message"
          sandbox="allow-popups allow-popups-to-escape-sandbox"
          srcDoc={framed(mail.data.html ?? '')}
        />
      )}
    </article>
  );
}

function Text({ mail }: { mail: InboxMailJson }) {
  return (
    <pre>
      {withLinks(mail.text ?? '').map((piece) =>
        piece.href ? (
          <AddressLink key={piece.at} className="link" to={piece.href}>
            {piece.text}
          </AddressLink>
        ) : (
          piece.text
        ),
      )}
    </pre>
  );
}

// A closed frame cannot move the page it is in, so its links open beside it. Style sheets would be
// refused by the page's policy, loudly; the mail's own style attributes are enough.
function framed(html: string): string {
  return `<base target="_blank">${html.replaceAll(/<style[\s\S]*?<\/style>/gi, '')}`;
}
