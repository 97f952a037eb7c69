import * as cardKit from '~/components/ui/card.module.css';
import { Bone, BoneRows } from '~/components/ui/skeleton';
import * as skeletonKit from '~/components/ui/skeleton.module.css';
import { Loading } from '~/components/ui/states';
import * as tabsKit from '~/components/ui/tabs.module.css';
import * as styles from './now-strip.module.css';
import { PictureBones } from './picture-bones';
import * as scheduleListsStyles from './schedule-lists.module.css';
import * as timelineCardStyles from './timeline-card.module.css';

/** The board before any schedule is known. */
export function BoardLoading() {
  return (
    <Loading what="schedules">
      <div className={`${cardKit.card} ${styles.nowStrip}`}>
        {['now', 'next', 'gap'].map((part) => (
          <div key={part} className={styles.nowPart}>
            <span className={styles.noFace} />
            <span className={skeletonKit.boneText}>
              <Bone width="long" />
              <Bone />
            </span>
          </div>
        ))}
      </div>
      <div className={`${cardKit.card} ${scheduleListsStyles.scheduleLists}`}>
        <div className={tabsKit.tabs} />
        <BoneRows count={6} />
      </div>
      <div className={cardKit.card}>
        <div className={timelineCardStyles.timelineTools}>
          <Bone />
        </div>
        <PictureBones />
      </div>
    </Loading>
  );
}
