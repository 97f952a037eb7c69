import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { Banner, Dialog } from '~/components/ui/dialog';
import * as dialogKit from '~/components/ui/dialog.module.css';
import { SelectField, TextArea, TextField } from '~/components/ui/field';
import { Submit } from '~/components/ui/submit';
import { useCreateIncident } from '~/data/incident-changes';
import { serviceList } from '~/data/services';
import { useGone } from '~/lib/after-close';
import { ApiError, fieldReason } from '~/lib/api';
import { currentIdentity } from '~/lib/identity';
import { paths } from '~/lib/paths';
import { toast } from '~/lib/toast';
import { capitalised, shortId } from '~/lib/words';
import { begun, forgetBegun, forgetOnceCreated, keepBegun, type Sent, toSend } from '../model/begun';
import { toServiceStates } from '../model/service-state';
import { severities, severityMeaning } from '../model/severity';

const choices = severities.map((value) => ({
  value,
  word: `${capitalised(value)}: ${severityMeaning[value]}`,
}));
const noService = { value: '', word: 'No service' };

interface CreateIncidentDialogProps {
  /** What it is about, when that is known already. */
  about?: { id: string; name: string };
  onClose: () => void;
}

/**
 * Declares an incident by hand and opens it. The people on call are paged. What was written and neither sent
 * nor closed is there again after a reload or a session that ended.
 */
export function CreateIncidentDialog({ about, onClose }: CreateIncidentDialogProps) {
  const create = useCreateIncident();
  const navigate = useNavigate();
  const gone = useGone();
  const [first] = useState(() => begun(about?.id));
  const pressed = useRef<Sent>(null);
  const close = () => {
    forgetBegun();
    onClose();
  };
  const listed = useQuery({ ...serviceList, select: toServiceStates }).data;
  // The service that is known may be chosen before, or without, the list.
  const { service = about?.id ?? '', serviceName = about?.name ?? '' } = first;
  const services = listed ?? (service ? [{ id: service, name: serviceName }] : []);
  const keep = ({ currentTarget: form }: FormEvent<HTMLFormElement>) => {
    const chosen = form.querySelector<HTMLOptionElement>('[name="service"] :checked')?.text;
    keepBegun({ of: about?.id, serviceName: chosen, ...Object.fromEntries(new FormData(form)) });
  };
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string) => String(form.get(name) ?? '').trim();
    const service = text('service');
    const body = {
      title: text('title'),
      description: text('description'),
      severity: text('severity'),
      ...(service ? { service_id: service } : {}),
    };
    pressed.current = toSend(JSON.stringify(body), pressed.current);
    const [by, forget] = [currentIdentity(), forgetOnceCreated()];
    // It may be closed meanwhile. That takes nothing back: people are paged, and whoever did it has to know.
    create.mutateAsync({ body, key: pressed.current.key }).then(
      ({ id = '', title }) => {
        // It concerns nobody who signed in since.
        if (by !== currentIdentity()) return;
        forget();
        if (gone.current)
          toast({ kind: 'success', title: `Incident ${shortId(id)} was created`, detail: title });
        else {
          navigate(paths.incident(id));
          close();
        }
      },
      // Here by the banner, and once this is closed by a toast.
      () => undefined,
    );
  };
  return (
    <Dialog title="Create Incident" saving={false} onClose={close}>
      <form onSubmit={submit} onChange={keep}>
        {create.isError && (
          <Banner tone="failed">
            {create.error.message}
            {create.error instanceof ApiError && create.error.detail && (
              <p className="text-2">{create.error.detail}</p>
            )}
          </Banner>
        )}
        <TextField
          label="Title"
          name="title"
          required
          maxLength={500}
          placeholder="What is broken, and where"
          error={fieldReason(create.error, 'title')}
          defaultValue={first.title}
        />
        <div className={dialogKit.sideBySide}>
          <SelectField
            label="Severity"
            name="severity"
            options={choices}
            defaultValue={first.severity ?? 'high'}
          />
          <SelectField
            label="Service"
            name="service"
            defaultValue={service}
            options={[noService, ...services.map(({ id, name }) => ({ value: id, word: name }))]}
          />
        </div>
        <TextArea
          label="Description"
          optional
          name="description"
          rows={3}
          error={fieldReason(create.error, 'description')}
          defaultValue={first.description}
        />
        <Submit size="lg" pending={create.isPending} doing="Creating incident...">
          Create incident
        </Submit>
        <p className={dialogKit.note}>The people on call are paged at once.</p>
      </form>
    </Dialog>
  );
}
