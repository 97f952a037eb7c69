import { type ComponentProps, type ComponentType, useEffect, useRef, useState } from 'react';
import { Boundary } from '~/components/ui/boundary';
import { Dialog } from '~/components/ui/dialog';
import { Loading } from '~/components/ui/states';
import { mayAct } from '~/lib/role';
import { toast } from '~/lib/toast';
import type { CreateIncidentDialog as Form } from './create-incident-dialog';

type Props = ComponentProps<typeof Form>;

let here: ComponentType<Props> | undefined;

/**
 * What declares an incident, opened by a press on several pages; its file comes by itself. Until then an
 * empty dialog stands, so that none opens over what is done meanwhile; without it the next press tries again.
 */
export function CreateIncidentDialog(props: Props) {
  // Set once, so that nothing typed is lost.
  const [Shown, setShown] = useState(() => here);
  const { onClose } = useRef(props).current;
  useEffect(() => {
    let wanted = true;
    const fail = () => {
      if (!wanted) return;
      toast({
        kind: 'failure',
        title: 'The form could not be shown.',
        detail: 'Press again to try again, or reload the page.',
      });
      onClose();
    };
    fetch().then(() => wanted && setShown(() => here), fail);
    return () => {
      wanted = false;
    };
  }, [onClose]);
  // What was written is there again when the role comes back.
  if (!mayAct('responder')) return null;
  if (Shown)
    return (
      <Boundary what="The form">
        <Shown {...props} />
      </Boundary>
    );
  // The browser says only later that it closed for the form.
  const close = () => {
    if (!here) onClose();
  };
  return (
    <Dialog title="Create Incident" saving={false} onClose={close}>
      <Loading what="the form" />
    </Dialog>
  );
}

async function fetch(): Promise<void> {
  here ??= (await import('./create-incident-dialog')).CreateIncidentDialog;
}

/** Fetches it before anybody asks. */
CreateIncidentDialog.fetch = fetch;
