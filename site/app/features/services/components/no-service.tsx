import { ButtonLink } from '~/components/ui/button';
import * as cardKit from '~/components/ui/card.module.css';
import { Empty } from '~/components/ui/states';
import { ApiError } from '~/lib/api';
import { paths } from '~/lib/paths';

/** Whether nothing was found, rather than that asking failed. */
export function isMissing(error: Error | null): boolean {
  return error instanceof ApiError && (error.status === 404 || error.status === 400);
}

/** Says that there is no such service in the reader's organization, with the way back. */
export function NoService() {
  return (
    <section className={cardKit.card} aria-label="No service">
      <Empty action={<ButtonLink to={paths.services}>All services</ButtonLink>}>
        Service not found. It was deleted, or its address is not quite right.
      </Empty>
    </section>
  );
}
