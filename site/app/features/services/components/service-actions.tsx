import type { ServiceJson } from '@nightbell/proto';
import { useState } from 'react';
import { Button } from '~/components/ui/button';
import { mayAct } from '~/lib/role';
import { DeleteServiceDialog } from './delete-service-dialog';
import { EditServiceDialog } from './edit-service-dialog';

interface ServiceActionsProps {
  service: ServiceJson;
  onCreateIncident: () => void;
}

/** What can be done with a service; nothing that the reader's role may not do. */
export function ServiceActions({ service, onCreateIncident }: ServiceActionsProps) {
  const [asked, setAsked] = useState<'edit' | 'delete' | null>(null);
  const close = () => setAsked(null);
  if (!mayAct('responder')) return null;
  return (
    <>
      {mayAct('admin') && (
        <Button icon="trash" look="danger" onClick={() => setAsked('delete')}>
          Delete
        </Button>
      )}
      <Button icon="edit" onClick={() => setAsked('edit')}>
        Edit
      </Button>
      <Button look="primary" icon="plus" onClick={onCreateIncident}>
        Create Incident
      </Button>
      {asked === 'edit' && <EditServiceDialog service={service} onClose={close} />}
      {asked === 'delete' && mayAct('admin') && <DeleteServiceDialog service={service} onClose={close} />}
    </>
  );
}
