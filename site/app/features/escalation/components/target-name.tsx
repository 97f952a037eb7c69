import { Avatar } from '~/components/ui/avatar';
import { Icon } from '~/components/ui/icon';
import { useHues } from '~/data/members';
import { iconOf } from '../model/choices';
import type { Target } from '../model/policy';
import * as styles from './target-name.module.css';

/** A target by its sign and name. */
export function TargetName({ target }: { target: Target }) {
  const hueOf = useHues();
  const icon = iconOf(target.kind);
  return (
    <span className={styles.target}>
      {icon ? <Icon name={icon} /> : <Avatar name={target.name} hue={hueOf(target.id)} />}
      <span className="ellipsis">{target.name}</span>
    </span>
  );
}
