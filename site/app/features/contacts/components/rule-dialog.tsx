import type { ContactMethodJson } from '@nightbell/proto';
import type { FormEvent } from 'react';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { SelectField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { useAddRule } from '~/data/notification-rules';
import { reasonOf } from '~/lib/api';
import { delays, urgencies } from '../model/rules';

/** Says by which contact method, for what, and how long after a page begins the reader is told. */
export function RuleDialog({ own, onClose }: { own: readonly ContactMethodJson[]; onClose: () => void }) {
  const add = useAddRule();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    add.mutate(
      {
        contact_method_id: String(form.get('contact')),
        urgency: String(form.get('urgency')),
        delay_seconds: Number(form.get('delay')),
      },
      { onSuccess: onClose },
    );
  };
  const contacts = own.map(({ id = '', name = '', hint }) => ({
    value: id,
    word: hint ? `${name} (${hint})` : name,
  }));
  return (
    <Dialog title="Add rule" saving={add.isPending} onClose={onClose}>
      <form onSubmit={submit}>
        {add.isError && <Banner tone="failed">{reasonOf(add.error)}</Banner>}
        <SelectField label="Tell me by" name="contact" options={contacts} />
        <SelectField label="Of severity" name="urgency" options={urgencies} />
        <SelectField label="When" name="delay" options={delays} />
        <Submit size="lg" pending={add.isPending} doing="Adding...">
          Add rule
        </Submit>
        <p className={dialogKit.note}>
          Later rules are reminders: they are not sent once somebody has answered. Where one method fails, the
          next is used at once.
        </p>
      </form>
    </Dialog>
  );
}
