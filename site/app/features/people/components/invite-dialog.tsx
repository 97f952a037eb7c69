import { type FormEvent, useState } from 'react';
import { Button } from '~/components/ui/button';
import { CopyButton } from '~/components/ui/copy-button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import { Segmented } from '~/components/ui/segmented';
import { Submit } from '~/components/ui/submit';
import { useInvite } from '~/data/invitations';
import { reasonOf } from '~/lib/api';
import { currentSession } from '~/lib/session';
import { givenBy } from '../model/person';
import * as styles from './invite-dialog.module.css';
import { RoleChoice } from './role-choice';

/** A link that was made: it is shown this once. */
export interface MadeLink {
  email: string;
  url: string;
}

/** Invites addresses by mail, or makes a link for each. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const invite = useInvite();
  const [role, setRole] = useState('responder');
  const [send, setSend] = useState<'mail' | 'link'>('mail');
  const [links, setLinks] = useState<readonly MadeLink[]>([]);
  const [refused, setRefused] = useState('');
  const [text, setText] = useState('');
  const [pending, setPending] = useState(false);
  const emails = addresses(text);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setPending(true);
    setRefused('');
    const made: MadeLink[] = [];
    for (const [at, email] of emails.entries()) {
      try {
        const { url } = await invite.mutateAsync({ email, role, send });
        if (url) made.push({ email, url });
      } catch (cause) {
        setRefused(`${email}: ${reasonOf(cause as Error)}`);
        setText(emails.slice(at).join(', '));
        setLinks((known) => [...known, ...made]);
        setPending(false);
        return;
      }
    }
    setPending(false);
    if (made.length === 0) return onClose();
    setLinks((known) => [...known, ...made]);
    setText('');
  };
  if (links.length > 0 && text === '') return <LinksDialog links={links} onClose={onClose} />;
  const many = emails.length > 1;
  const verb =
    send === 'mail'
      ? `Send ${many ? `${emails.length} invitations` : 'invitation'}`
      : `Make ${many ? `${emails.length} links` : 'link'}`;
  return (
    <Dialog title="Invite people" saving={pending} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        {refused !== '' && <Banner tone="failed">{refused}</Banner>}
        <TextField
          label="E-mail addresses"
          name="emails"
          placeholder="wei@example.com, priya@example.com"
          value={text}
          onChange={(event) => setText(event.target.value)}
          inputMode="email"
          autoComplete="off"
          required
        />
        <RoleChoice roles={givenBy(currentSession()?.user.role)} value={role} onChoose={setRole} />
        <Segmented
          label="How the invitation goes out"
          look="wide"
          choices={[
            { value: 'mail', content: 'By mail' },
            { value: 'link', content: 'As a link' },
          ]}
          value={send}
          onChoose={setSend}
        />
        <Submit size="lg" pending={pending} disabled={emails.length === 0} doing="Inviting...">
          {verb}
        </Submit>
        <p className={dialogKit.note}>An invitation works for its address only, once, for 7 days.</p>
      </form>
    </Dialog>
  );
}

/** The links of invitations, which cannot be shown again. */
export function LinksDialog({ links, onClose }: { links: readonly MadeLink[]; onClose: () => void }) {
  return (
    <Dialog title={links.length > 1 ? 'Copy the links' : 'Copy the link'} saving={false} onClose={onClose}>
      <div className={dialogKit.body}>
        <p className="text-2">Pass each on to its address yourself. Nightbell cannot show them again.</p>
        <ul className={styles.links}>
          {links.map(({ email, url }) => (
            <li key={email}>
              <span className="ellipsis">{email}</span>
              <code>{url}</code>
              <CopyButton text={url} />
            </li>
          ))}
        </ul>
        <div className={dialogKit.choices}>
          <Button onClick={onClose}>Done</Button>
        </div>
      </div>
    </Dialog>
  );
}

/** The addresses of a text, between commas, semicolons and spaces, each once. */
export function addresses(text: string): string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
}
