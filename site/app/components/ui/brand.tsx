import { Link } from 'react-router';
import * as styles from './brand.module.css';
import { Icon } from './icon';

/** The mark and the wordmark, leading to the given page. */
export function Brand({ to }: { to: string }) {
  return (
    <Link className={styles.brand} to={to}>
      <Icon name="logo" className="" />
      Nightbell
    </Link>
  );
}
