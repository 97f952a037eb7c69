import { BoneRows } from '~/components/ui/skeleton';
import * as styles from './picture-bones.module.css';

/** The place of a timeline while it is fetched or its code arrives. */
export function PictureBones() {
  return (
    <span className={styles.pictureBones}>
      <BoneRows count={5} />
    </span>
  );
}
