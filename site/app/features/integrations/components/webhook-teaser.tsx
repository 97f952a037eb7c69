import { ButtonLink } from '~/components/ui/button';
import { Card } from '~/components/ui/card';
import { paths } from '~/lib/paths';
import { mayAct } from '~/lib/role';
import * as styles from './webhooks.module.css';

/** The way to the webhooks that tell other programs; only admins may see them. */
export function WebhookTeaser() {
  return (
    <Card title="Tell other programs" className={styles.teaser}>
      <div className={styles.teaserBody}>
        <p className="text-2">
          Webhooks tell tickets, bots and status pages what happens to incidents, signed and at least once.
          {!mayAct('admin') && ' Admins and owners set them up.'}
        </p>
        {mayAct('admin') && <ButtonLink to={paths.webhooks}>Open webhooks</ButtonLink>}
      </div>
    </Card>
  );
}
