import type { ContactMethodJson, TestPageJson } from '@nightbell/proto';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'react-router';
import { channelOf } from '~/components/channel';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { Icon } from '~/components/ui/icon';
import { Empty, FetchFailed, Loading } from '~/components/ui/states';
import { contactMethods } from '~/data/contact-methods';
import { isOver, testPage, useSendTestPage } from '~/data/test-pages';
import { reasonOf } from '~/lib/api';
import { paths } from '~/lib/paths';
import { dateOf } from '~/lib/time/instant';
import { clockTime } from '~/lib/time/words';
import * as styles from './settings.module.css';

/** What was asked of one contact method: its test page, or why there is none. */
type Asked = { id: string } | { refusal: string };

/** Sends the reader a test page by each of their contact methods, and shows the receipts. */
export function TestCard() {
  const { mutateAsync } = useSendTestPage();
  const contacts = useQuery(contactMethods);
  const [asked, setAsked] = useState<ReadonlyMap<string, Asked>>(new Map());
  const own = (contacts.data ?? []).filter(({ shared }) => !shared);
  const usable = own.filter(isUsable);
  const send = async (contact: ContactMethodJson) => {
    const id = contact.id ?? '';
    const note = (what: Asked) => setAsked((known) => new Map(known).set(id, what));
    try {
      const page = await mutateAsync(id);
      note({ id: page.id ?? '' });
    } catch (cause) {
      note({ refusal: reasonOf(cause as Error) });
    }
  };
  return (
    <section id="contacts">
      <Card
        title="How you are reached"
        actions={
          usable.length > 0 && (
            <Button icon="play" onClick={() => void Promise.all(usable.map(send))}>
              Send me a test page
            </Button>
          )
        }
      >
        {contacts.isPending && <Loading what="contact methods" />}
        <FetchFailed of={contacts}>Failed to load contact methods</FetchFailed>
        {contacts.data && own.length === 0 && <Empty>You have no contact method.</Empty>}
        <ul className={styles.rows}>
          {own.map((contact) => (
            <TestRow
              key={contact.id}
              contact={contact}
              asked={asked.get(contact.id ?? '')}
              onSend={() => void send(contact)}
            />
          ))}
        </ul>
        <p className={styles.foot}>
          A test page says that it is one. It wakes nobody else and opens no incident.{' '}
          <Link className="link" to={paths.contacts}>
            My contact methods
          </Link>
        </p>
      </Card>
    </section>
  );
}

function isUsable({ verified, disabled_reason }: ContactMethodJson): boolean {
  return verified !== false && !disabled_reason;
}

interface TestRowProps {
  contact: ContactMethodJson;
  asked: Asked | undefined;
  onSend: () => void;
}

function TestRow({ contact, asked, onSend }: TestRowProps) {
  const { word, icon } = channelOf(contact.kind);
  return (
    <li>
      <Icon name={icon} />
      <div className="grow">
        <p>
          {word} <span className="mono text-3 size-12">{contact.hint}</span>
        </p>
        {!isUsable(contact) && (
          <p>{contact.disabled_reason ?? 'Not verified yet. Open the link that was mailed to it.'}</p>
        )}
        {asked && <Receipt asked={asked} />}
      </div>
      {isUsable(contact) && (
        <Button size="sm" onClick={onSend} aria-label={`Test ${word} ${contact.hint}`}>
          Test
        </Button>
      )}
    </li>
  );
}

function Receipt({ asked }: { asked: Asked }) {
  const page = useQuery({ ...testPage('id' in asked ? asked.id : ''), enabled: 'id' in asked });
  if ('refusal' in asked) return <p className={styles.bad}>{asked.refusal}</p>;
  return (
    <p
      role="status"
      className={isOver(page.data) ? (page.data?.status === 'sent' ? styles.good : styles.bad) : undefined}
    >
      {receiptWords(page.data)}
    </p>
  );
}

/** The receipt of a test page in words. */
export function receiptWords(page: TestPageJson | undefined): string {
  const { status = 'queued', detail, created_at, finished_at } = page ?? {};
  if (status === 'queued') return 'Waiting to be sent...';
  if (status === 'sending') return 'Being sent...';
  const at = clockTime(dateOf(finished_at));
  const took = ((dateOf(finished_at).getTime() - dateOf(created_at).getTime()) / 1000).toFixed(1);
  return status === 'sent'
    ? `Accepted at ${at}, after ${took} s: ${detail ?? 'taken'}`
    : `Failed at ${at}: ${detail}`;
}
