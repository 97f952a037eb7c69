import { type FormEvent, useState } from 'react';
import { Button } from '~/components/ui/button';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextArea, TextField } from '~/components/ui/field';
import { createEnquiry } from '~/data/enquiries';
import { company } from '~/lib/company';

type Status = { kind: 'idle' | 'sending' } | { kind: 'done' | 'failed'; message: string };

const labels = { idle: 'Send', failed: 'Send', sending: 'Sending...', done: 'Sent' } as const;

/** Asks a person about the enterprise plan. What is written stays here when it could not be sent. */
export function ContactDialog({ onClose }: { onClose: () => void }) {
  const [status, setStatus] = useState<Status>({ kind: 'idle' });
  const { salesEmail } = company();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    setStatus({ kind: 'sending' });
    createEnquiry({
      kind: 'sales',
      name: text('name'),
      email: text('email'),
      company: text('company'),
      message: text('message'),
    })
      .then((message) => setStatus({ kind: 'done', message }))
      .catch((cause: Error) => setStatus({ kind: 'failed', message: cause.message }));
  };
  return (
    <Dialog title="Talk to a person" saving={status.kind === 'sending'} onClose={onClose}>
      <form onSubmit={submit}>
        {(status.kind === 'done' || status.kind === 'failed') && (
          <Banner tone={status.kind}>{status.message}</Banner>
        )}
        <p className="text-2">
          Tell us how many people are on call and what wakes them today. A person answers within one working
          day.
        </p>
        <div className={dialogKit.sideBySide}>
          <TextField label="Name" name="name" autoComplete="name" maxLength={200} required />
          <TextField label="Company" name="company" autoComplete="organization" maxLength={200} optional />
        </div>
        <TextField label="Email" name="email" type="email" autoComplete="email" required />
        <TextArea label="Message" name="message" rows={5} maxLength={4000} required />
        <Button
          type="submit"
          look="primary"
          size="lg"
          labels={Object.values(labels)}
          disabled={status.kind === 'sending' || status.kind === 'done'}
        >
          {labels[status.kind]}
        </Button>
        <p className={dialogKit.note}>
          Or write to <a href={`mailto:${salesEmail}?subject=Nightbell%20Enterprise`}>{salesEmail}</a>.
        </p>
      </form>
    </Dialog>
  );
}
