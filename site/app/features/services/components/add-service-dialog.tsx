import type { FormEvent } from 'react';
import { useNavigate } from 'react-router';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { TextField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { useCreateService } from '~/data/services';
import { ApiError, fieldReason } from '~/lib/api';
import { paths } from '~/lib/paths';

/** Adds a service by name and opens it, where its webhook address is. */
export function AddServiceDialog({ onClose }: { onClose: () => void }) {
  const create = useCreateService();
  const navigate = useNavigate();
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const name = String(new FormData(event.currentTarget).get('name')).trim();
    create.mutate(name, { onSuccess: (service) => navigate(paths.service(service.id ?? '')) });
  };
  return (
    <Dialog title="Add Service" narrow saving={create.isPending} onClose={onClose}>
      <form onSubmit={submit}>
        {create.isError && (
          <Banner tone="failed">
            {create.error.message}
            {create.error instanceof ApiError && create.error.detail && (
              <p className="text-2">{create.error.detail}</p>
            )}
          </Banner>
        )}
        <TextField
          label="Name"
          name="name"
          required
          maxLength={200}
          placeholder="Checkout API"
          error={fieldReason(create.error, 'name')}
        />
        <Submit size="lg" pending={create.isPending} doing="Adding service...">
          Add service
        </Submit>
        <p className={dialogKit.note}>It gets its own webhook address and the default escalation policy.</p>
      </form>
    </Dialog>
  );
}
