import type { ContactMethodJson } from '@nightbell/proto';
import { DraftForm } from '~/components/draft-form';
import { DraftProblem } from '~/components/draft-problem';
import { Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { SelectField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { useAddRule } from '~/data/notification-rules';
import { useDraft } from '~/lib/draft';
import { delays, urgencies } from '../model/rules';

/** Says by which contact method, for what, and how long after a page begins the reader is told. */
export function RuleDialog({ own, onClose }: { own: readonly ContactMethodJson[]; onClose: () => void }) {
  const add = useAddRule();
  // Somebody may delete the chosen one meanwhile.
  const standing = (id: string) => (own.some((one) => one.id === id) ? id : (own[0]?.id ?? ''));
  const edit = useDraft({
    stored: { contact_method_id: own[0]?.id ?? '', urgency: 'high', delay_seconds: '0' },
    draftOf: (stored) => stored,
    request: ({ contact_method_id, urgency, delay_seconds }) => ({
      contact_method_id: standing(contact_method_id),
      urgency,
      delay_seconds: Number(delay_seconds),
    }),
    save: add,
    onSaved: onClose,
  });
  const contacts = own.map(({ id = '', name = '', hint }) => ({
    value: id,
    word: hint ? `${name} (${hint})` : name,
  }));
  return (
    <Dialog title="Add rule" saving={edit.pending} onClose={onClose}>
      <DraftForm of={edit}>
        <DraftProblem of={edit} />
        <SelectField
          label="Tell me by"
          options={contacts}
          {...edit.text('contact_method_id')}
          value={standing(edit.draft.contact_method_id)}
        />
        <SelectField label="Of severity" options={urgencies} {...edit.text('urgency')} />
        <SelectField label="When" options={delays} {...edit.text('delay_seconds')} />
        <Submit size="lg" pending={edit.pending} doing="Adding...">
          Add rule
        </Submit>
        <p className={dialogKit.note}>
          Later rules are reminders: they are not sent once somebody has answered. Where one method fails, the
          next is used at once.
        </p>
      </DraftForm>
    </Dialog>
  );
}
