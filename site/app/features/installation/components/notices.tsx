import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, ButtonLink } from '~/components/ui/button';
import { Icon } from '~/components/ui/icon';
import * as noticeKit from '~/components/ui/notice.module.css';
import { notices } from '~/data/installation';
import { mayAct } from '~/lib/role';
import { ConfirmCopyDialog } from './confirm-copy-dialog';

/** Stands above every page while something keeps this installation from paging. */
export function Notices() {
  const { data = [] } = useQuery(notices);
  const [confirming, setConfirming] = useState(false);
  return (
    <>
      {data.map(({ kind, message }) => (
        <section className={noticeKit.notice} role="alert" key={kind + message}>
          <Icon name="alert" />
          <p>{message}</p>
          {kind === 'unconfirmed' && (
            <ButtonLink size="sm" to="/oncall/contacts">
              My contact methods
            </ButtonLink>
          )}
          {kind === 'restored_copy' && mayAct('owner') && (
            <Button size="sm" onClick={() => setConfirming(true)}>
              Let it page
            </Button>
          )}
        </section>
      ))}
      {confirming && <ConfirmCopyDialog onClose={() => setConfirming(false)} />}
    </>
  );
}
