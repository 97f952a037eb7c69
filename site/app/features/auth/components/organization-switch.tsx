import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { Icon } from '~/components/ui/icon';
import { Popover } from '~/components/ui/popover';
import { organizationList } from '~/data/account';
import { reasonOf } from '~/lib/api';
import { letGo } from '~/lib/leave-guard';
import { paths } from '~/lib/paths';
import { toast } from '~/lib/toast';
import { capitalised } from '~/lib/words';
import { switchOrganization } from '../api/switch-organization';
import * as styles from './organization-switch.module.css';

interface OrganizationSwitchProps {
  className: string | undefined;
  /** Goes, unless something is not stored and the reader stays for it. */
  leave: (go: () => void) => void;
}

/** Which organization is shown, and the way to the account's others. Nothing where there is only one. */
export function OrganizationSwitch({ className, leave }: OrganizationSwitchProps) {
  const organizations = useQuery(organizationList).data ?? [];
  const [open, setOpen] = useState(false);
  const [pending, setPending] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const navigate = useNavigate();
  const here = organizations.find(({ current }) => current);
  if (organizations.length < 2 || !here) return null;
  const go = (id: string) => {
    setPending(true);
    switchOrganization(id)
      .then((there) => {
        if (!there) return;
        letGo();
        navigate(paths.dashboard);
      })
      .catch((cause: Error) => {
        toast({ kind: 'failure', title: reasonOf(cause) });
        setPending(false);
      });
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        className={`${className} ${styles.switch}`}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-label={`Organization ${here.name}: switch`}
        disabled={pending}
        onClick={() => setOpen(true)}
      >
        <Icon name="swap" />
        <span className="ellipsis">{here.name}</span>
        <Icon name="chevron-up" />
      </button>
      {open && button.current && (
        <Popover anchor={button.current} label="Your organizations" onClose={() => setOpen(false)}>
          <ul className={styles.organizations}>
            {organizations.map(({ id = '', name, role = '', current }) => (
              <li key={id}>
                <button type="button" disabled={current || pending} onClick={() => leave(() => go(id))}>
                  <span className="ellipsis">{name}</span>
                  <small>{current ? 'Here now' : capitalised(role)}</small>
                </button>
              </li>
            ))}
          </ul>
        </Popover>
      )}
    </>
  );
}
