import { type ComponentType, lazy, useEffect } from 'react';
import { toast } from '~/lib/toast';

interface Closing {
  onClose: () => void;
}

/** A dialog in a file of its own. One that cannot be fetched says so and closes, and leaves the page as it is. */
export function fetchedDialog<Props extends Closing>(load: () => Promise<ComponentType<Props>>) {
  return lazy(() =>
    load()
      .catch((): ComponentType<Props> => NotFetched)
      .then((dialog) => ({ default: dialog })),
  );
}

function NotFetched({ onClose }: Closing) {
  useEffect(() => {
    toast({ kind: 'failure', title: 'That could not be loaded. Check the network, then reload this page.' });
    onClose();
  }, [onClose]);
  return null;
}
