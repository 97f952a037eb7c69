import { BoneRows } from '~/components/ui/skeleton';

/** The place of a timeline while it is fetched or its code arrives. */
export function PictureBones() {
  return (
    <span className="picture-bones">
      <BoneRows count={5} />
    </span>
  );
}
