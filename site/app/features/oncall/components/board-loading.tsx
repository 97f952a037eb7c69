import { Bone, BoneRows } from '~/components/ui/skeleton';
import { Loading } from '~/components/ui/states';
import { PictureBones } from './picture-bones';

/** The board before any schedule is known. */
export function BoardLoading() {
  return (
    <Loading what="schedules">
      <div className="card now-strip">
        {['now', 'next', 'gap'].map((part) => (
          <div key={part} className="now-part">
            <span className="no-face" />
            <span className="bone-text">
              <Bone width="long" />
              <Bone />
            </span>
          </div>
        ))}
      </div>
      <div className="card schedule-lists">
        <div className="tabs" />
        <BoneRows count={6} />
      </div>
      <div className="card timeline-card">
        <div className="timeline-tools">
          <Bone />
        </div>
        <PictureBones />
      </div>
    </Loading>
  );
}
