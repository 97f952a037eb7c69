import { type MouseEvent, useCallback } from 'react';
import { useNavigate } from 'react-router';
import { paths } from '~/lib/paths';
import { currentSession } from '~/lib/session';

/**
 * What "See a demo" does: it signs in as a guest, and leads whoever is signed in to the own workspace, because a
 * guest's session would replace that one in every tab. Where no demo is to be had, the sample on the page remains.
 */
export function useDemo(): (event?: MouseEvent) => void {
  const navigate = useNavigate();
  return useCallback(
    (event) => {
      event?.preventDefault();
      if (currentSession()) return void navigate(paths.dashboard);
      // Few readers press it, so what signs in is loaded when it is needed.
      import('../api/demo')
        .then(({ enterDemo }) => enterDemo())
        .catch(() => false)
        .then((entered) => (entered ? navigate(paths.dashboard) : location.assign('#demo')));
    },
    [navigate],
  );
}
