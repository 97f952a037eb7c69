import type { ReactNode } from 'react';
import * as cardStyles from './card.module.css';
import * as styles from './skeleton.module.css';

type Width = 'short' | 'half' | 'long';

/** One grey line where words will be. It says nothing to a screen reader: `Loading` around it does. */
export function Bone({ width = 'half', tall = false }: { width?: Width; tall?: boolean }) {
  return <span className={tall ? `${styles.bone} ${styles.tall}` : styles.bone} data-width={width} />;
}

/** As many rows as usually come, each as high as a row of a table or a list. */
export function BoneRows({ count, children }: { count: number; children?: ReactNode }) {
  return (
    <span className={styles.boneRows}>
      {Array.from({ length: count }, (_, row) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: they are all alike.
        <span key={row}>
          {children ?? (
            <>
              <Bone width={row % 3 === 1 ? 'long' : 'half'} />
              <Bone width="short" />
            </>
          )}
        </span>
      ))}
    </span>
  );
}

/** A card that has its title already and waits for its rows. */
export function BoneCard({ title, count }: { title: string; count: number }) {
  return (
    <section className={cardStyles.card}>
      <header>
        <span className={styles.boneTitle}>{title}</span>
      </header>
      <BoneRows count={count} />
    </section>
  );
}
