import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { PageHead } from '~/components/layout/page-head';
import { Boundary } from '~/components/ui/boundary';
import { ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Bone, BoneRows } from '~/components/ui/skeleton';
import * as skeletonKit from '~/components/ui/skeleton.module.css';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { prefetch } from '~/data/cache';
import { inboxList } from '~/data/inbox';
import { mailPlace } from '~/data/installation';
import { MailList } from '~/features/inbox/components/mail-list';
import { MailView } from '~/features/inbox/components/mail-view';
import * as styles from '~/features/inbox/inbox.module.css';
import { paths } from '~/lib/paths';

const mailWords: Record<string, string> = {
  inbox:
    'No mail server is set up, so what Nightbell would send arrives here, for every address. Owners only.',
  server: 'Mail goes out by the mail server. What is here was kept before there was one. Owners only.',
};

const emptyWords: Record<string, string> = {
  inbox: 'No mail yet. Send an alert to one of your services and the page arrives here within a second.',
  server: 'None was kept. New mail is in the mailboxes that it is sent to.',
};

export function clientLoader() {
  return prefetch((client) => [client.infiniteQuery(inboxList)]);
}

// The mail that is open is in the address, which changes at once.
export const shouldRevalidate = () => false;

/** The mail of an installation without a mail server. Wide screens open the newest by themselves. */
export default function Inbox() {
  const list = useInfiniteQuery(inboxList);
  const mail = useQuery(mailPlace).data;
  const [params] = useSearchParams();
  const chosen = params.get('mail');
  const openId = chosen ?? list.data?.[0]?.id ?? '';
  return (
    <>
      <PageHead title="Inbox" />
      <p className={styles.inboxNote}>{mailWords[mail ?? ''] ?? 'Mail that Nightbell keeps. Owners only.'}</p>
      <section
        className={`${cardKit.card} ${list.data?.length ? styles.inbox : ''} ${chosen ? styles.reading : ''}`}
        aria-label="Mail"
      >
        {list.isPending && (
          <Loading what="inbox">
            <BoneRows count={5}>
              <span className={`grow ${skeletonKit.boneText} ${styles.mailPlace}`}>
                <Bone />
                <Bone width="long" />
              </span>
            </BoneRows>
          </Loading>
        )}
        <FetchFailed of={list}>Failed to load inbox</FetchFailed>
        {list.data?.length === 0 && <Empty>{emptyWords[mail ?? ''] ?? 'No mail is kept here.'}</Empty>}
        {list.data && list.data.length > 0 && (
          <>
            <MailList mails={list.data} source={list} openId={openId} />
            <div>
              <ButtonLink to={paths.inbox} icon="chevron-left" look="quiet" className={styles.inboxBack}>
                All mail
              </ButtonLink>
              <Boundary what="The mail">
                <MailView key={openId} id={openId} />
              </Boundary>
            </div>
          </>
        )}
      </section>
    </>
  );
}
