import type { ContactMethodJson } from '@nightbell/proto';
import { ConfirmDialog } from '~/components/ui/confirm-dialog';
import { useDeleteContact } from '~/data/contact-methods';

interface DeleteContactProps {
  contact: ContactMethodJson;
  /** Nothing else reaches the reader. */
  last: boolean;
  onClose: () => void;
}

/** Asks before a way to reach somebody goes; the server refuses while a policy pages it. */
export function DeleteContact({ contact, last, onClose }: DeleteContactProps) {
  const remove = useDeleteContact();
  const { id = '', etag, name, hint, shared } = contact;
  return (
    <ConfirmDialog
      title={shared ? 'Delete shared channel' : 'Delete contact method'}
      verb={`Delete ${name}`}
      doing="Deleting..."
      icon="trash"
      pending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate({ id, etag }, { onSuccess: onClose })}
      onClose={onClose}
    >
      <p className="text-2">
        Nothing is sent to <b className="strong">{hint || name}</b> any more
        {shared ? '.' : ', and its rules are deleted with it.'} What was sent to it stays in the log.
      </p>
      {last && <p className="strong">Nothing else reaches you: nobody could page you.</p>}
    </ConfirmDialog>
  );
}
