import { useQuery } from '@tanstack/react-query';
import { Badge } from '~/components/ui/badge';
import { Button } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { FetchFailed, Loading } from '~/components/ui/states';
import { organizationList } from '~/data/account';
import { capitalised } from '~/lib/words';
import * as styles from './settings.module.css';

/** The organizations of the account: the way into each, and out of the one that is shown. */
export function OrganizationsCard({
  onSwitch,
  onLeave,
}: {
  onSwitch: (id: string) => void;
  onLeave: () => void;
}) {
  const organizations = useQuery(organizationList);
  return (
    <Card title="Your organizations">
      {organizations.isPending && <Loading what="your organizations" />}
      <FetchFailed of={organizations}>Failed to load your organizations</FetchFailed>
      <ul className={styles.rows}>
        {organizations.data?.map(({ id = '', name, role = '', user_count = 0, current }) => (
          <li key={id}>
            <div className="grow">
              <p className="strong">{name}</p>
              <p>
                {user_count === 1 ? 'Only you' : `${user_count} people`}, you are {capitalised(role)}
              </p>
            </div>
            {current ? (
              <>
                <Badge tone="ok">Here now</Badge>
                <Button size="sm" look="danger" onClick={onLeave}>
                  Leave
                </Button>
              </>
            ) : (
              <Button size="sm" onClick={() => onSwitch(id)} aria-label={`Switch to ${name}`}>
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Card>
  );
}
