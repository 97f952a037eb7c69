import { type MouseEvent, useCallback } from 'react';
import { useNavigate } from 'react-router';
import { paths } from '~/lib/paths';

/** What "See a demo" does: it signs in as a guest. Where that is not to be had, the sample on the page remains. */
export function useDemo(): (event?: MouseEvent) => void {
  const navigate = useNavigate();
  return useCallback(
    (event) => {
      event?.preventDefault();
      // Few readers press it, so what signs in is loaded when it is needed.
      import('../api/demo')
        .then(({ enterDemo }) => enterDemo())
        .catch(() => false)
        .then((entered) => (entered ? navigate(paths.dashboard) : location.assign('#demo')));
    },
    [navigate],
  );
}
